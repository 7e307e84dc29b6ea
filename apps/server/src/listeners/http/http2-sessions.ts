import {
  type Http2SecureServer,
  type Http2Server,
  constants as http2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";

/** The time limits of HTTP/2, in milliseconds. */
export interface SessionLimits {
  /** Until the last byte of a stream's body has arrived; 0 for streams without end. */
  readonly readTimeoutMs: number;
  /** Without progress while answers wait to be taken. */
  readonly writeTimeoutMs: number;
  /** Of a connection without streams. */
  readonly idleTimeoutMs: number;
}

/** A client that takes less than this in a write timeout takes nothing: answers to its pings are no progress. */
const leastProgressBytes = 16_384;

/** Holds every HTTP/2 connection of the server to the limits. `drain` tells all of them to come to an end. */
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
  session.on("stream", (stream, _headers, flags) => {
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    if ((flags & http2.NGHTTP2_FLAG_END_STREAM) === 0) limitBody(stream, limits.readTimeoutMs);
  });
  // Streams may be silent for long; a connection without any is idle.
  session.setTimeout(limits.idleTimeoutMs, () => {
    if (open.size === 0) session.close();
  });
  endStalledAnswers(session, open, limits.writeTimeoutMs);
}

function limitBody(stream: ServerHttp2Stream, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  const timer = setTimeout(() => stream.close(http2.NGHTTP2_CANCEL), timeoutMs);
  const received = (): void => clearTimeout(timer);
  stream.once("end", received).once("close", received);
}

/** A timeout of the stream itself would not do: Node takes any frame of the connection for its progress. */
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
