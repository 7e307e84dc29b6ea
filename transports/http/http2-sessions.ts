import {
  type Http2SecureServer,
  type Http2Server,
  constants as http2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { jittered } from "@appserver/kernel";

/** The time limits of HTTP/2, in milliseconds. */
export interface SessionLimits {
  /** Time limit without progress while responses wait to be read. */
  readonly writeTimeoutMs: number;
  /** Time limit for a connection without streams. */
  readonly idleTimeoutMs: number;
  /** Time until a connection takes no new streams, or up to a fifth less; 0: none. */
  readonly maxConnectionAgeMs: number;
}

/** By how much a connection may end earlier, so that those that began together do not end together. */
const ageJitter = 0.2;
/** Time in which requests still arrive that clients sent before they saw the announcement. */
const announcementMs = 5_000;
/** Excludes no stream (RFC 9113 §6.8). */
const everyStream = 2 ** 31 - 1;

/** A client that reads less than this within a write timeout makes no progress: responses to its pings do not count. */
const leastProgressBytes = 16_384;

/**
 * Applies the limits to every HTTP/2 connection of the server. While it leaves, connections end with their next request. `drain` closes all of them
 * gracefully.
 */
export function trackSessions(
  server: Http2Server | Http2SecureServer,
  limits: SessionLimits,
  isLeaving: () => boolean,
): { drain(): void } {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    limitSession(session, limits, isLeaving);
  });
  return {
    drain: () => {
      for (const session of sessions) session.close();
    },
  };
}

function limitSession(session: ServerHttp2Session, limits: SessionLimits, isLeaving: () => boolean): void {
  const open = new Set<ServerHttp2Stream>();
  session.on("stream", (stream) => {
    open.add(stream);
    stream.once("close", () => open.delete(stream));
  });
  // Streams may be silent for long. A connection without streams is idle.
  session.setTimeout(limits.idleTimeoutMs, () => {
    if (open.size === 0) session.close();
  });
  endStalledAnswers(session, open, limits.writeTimeoutMs);
  endInOrder(session, limits.maxConnectionAgeMs, isLeaving);
}

/**
 * Ends a connection that is old, or whose server leaves: its streams end as they would, and its client opens another connection for the next
 * request. Else clients behind a load balancer of connections would stay at one server. The first GOAWAY only announces the end, because a client
 * that has just sent a request would see it refused. It is sent when a request comes, while the client waits for the response and begins no other
 * request.
 */
function endInOrder(session: ServerHttp2Session, ageMs: number, isLeaving: () => boolean): void {
  let [isOld, isAnnounced] = [false, false];
  let timer = ageMs > 0 ? setTimeout(() => (isOld = true), jittered(ageMs, ageJitter)).unref() : undefined;
  session.on("stream", () => {
    // Node reports a stream in a later turn: an error of the protocol may have ended the connection.
    if (session.destroyed || session.closed || isAnnounced || !(isOld || isLeaving())) return;
    isAnnounced = true;
    clearTimeout(timer);
    session.goaway(http2.NGHTTP2_NO_ERROR, everyStream);
    timer = setTimeout(() => session.close(), announcementMs).unref();
  });
  session.once("close", () => clearTimeout(timer));
}

/**
 * Closes stalled streams. A timeout of the stream itself is not sufficient: Node counts any frame of the connection as its
 * progress.
 */
function endStalledAnswers(session: ServerHttp2Session, open: ReadonlySet<ServerHttp2Stream>, timeoutMs: number): void {
  let waiting = new Set<ServerHttp2Stream>();
  let written = 0;
  const timer = setInterval(() => {
    if (session.destroyed) return;
    const progress = (session.socket?.bytesWritten ?? 0) - written;
    written += progress;
    const stalled = [...open].filter((stream) => stream.writableLength > 0);
    if (progress < leastProgressBytes) {
      for (const stream of stalled) if (waiting.has(stream)) stream.close(http2.NGHTTP2_CANCEL);
    }
    waiting = new Set(stalled);
  }, timeoutMs);
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
