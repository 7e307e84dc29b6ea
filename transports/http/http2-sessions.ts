import {
  type Http2SecureServer,
  type Http2Server,
  constants as http2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";

/** The time limits of HTTP/2, in milliseconds. */
export interface SessionLimits {
  /** Time limit without progress while responses wait to be read. */
  readonly writeTimeoutMs: number;
  /** Time limit for a connection without streams. */
  readonly idleTimeoutMs: number;
}

/** A client that reads less than this within a write timeout makes no progress: responses to its pings do not count. */
const leastProgressBytes = 16_384;

/** Applies the limits to every HTTP/2 connection of the server. `drain` closes all of them gracefully. */
export function trackSessions(server: Http2Server | Http2SecureServer, limits: SessionLimits): { drain(): void } {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    limitSession(session, limits);
  });
  return {
    drain: () => {
      for (const session of sessions) session.close();
    },
  };
}

function limitSession(session: ServerHttp2Session, limits: SessionLimits): void {
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
