import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, createSecureServer, type Http2SecureServer, type Http2Server } from "node:http2";
import type { Socket } from "node:net";

/** Limits of a listening port, in milliseconds and bytes; the defaults are specification §8 and design/behaviour. */
export interface ServerLimits {
  /** Until the last header has arrived. Default 15 s. */
  readonly headersTimeoutMs?: number;
  /** Until the last byte of the body has arrived, on HTTP/1.1. Default 30 s; 0 for streams without end. */
  readonly readTimeoutMs?: number;
  /** Without progress while an answer waits to be taken. Default 30 s. */
  readonly writeTimeoutMs?: number;
  /** Between requests. Default 120 s. */
  readonly idleTimeoutMs?: number;
  /** Default 1,048,576. */
  readonly maxHeaderBytes?: number;
  /** Per HTTP/2 connection. Default 100. */
  readonly maxConcurrentStreams?: number;
}

/** PEM texts. */
export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
}

/** Serves HTTP/1.1 and HTTP/2 alike: Node's HTTP/2 compatibility objects have the same members. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface DualProtocolServer {
  readonly server: Server;
  /** Tells every connection that no further request will be taken; those under way go on. */
  drain(): void;
  /** Ends every connection at once. */
  destroy(): void;
}

const defaults = {
  headersTimeoutMs: 15_000,
  readTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  idleTimeoutMs: 120_000,
  maxHeaderBytes: 1_048_576,
  maxConcurrentStreams: 100,
};

/** What every HTTP/2 connection begins with (RFC 9113 §3.4); no HTTP/1.1 method begins with these letters. */
const prefaceStart = Buffer.from("PRI");

/** One port for HTTP/1.1 and HTTP/2: cleartext is told apart by its first bytes, TLS by ALPN. */
export function createDualProtocolServer(
  handler: NodeHandler,
  limits: ServerLimits = {},
  tls?: TlsOptions,
): DualProtocolServer {
  const settled = { ...defaults, ...limits };
  return tls ? createTlsServer(handler, settled, tls) : createCleartextServer(handler, settled);
}

function createCleartextServer(handler: NodeHandler, limits: Required<ServerLimits>): DualProtocolServer {
  const h1 = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.readTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      // `Upgrade: h2c` is not taken up: the request is answered as HTTP/1.1 (RFC 9110 §7.8).
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === "websocket",
    },
    handler,
  );
  endStalledAnswers(h1, limits.writeTimeoutMs);
  const h2 = createHttp2Server(http2Options(limits), asHttp2(handler));
  const sessions = trackSessions(h2, limits.idleTimeoutMs);
  const sockets = new Set<Socket>();
  const [acceptHttp1] = h1.listeners("connection") as [(this: Server, socket: Socket) => void];
  h1.removeAllListeners("connection");
  h1.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    distinguish(socket, limits.headersTimeoutMs, (isHttp2) => {
      if (isHttp2) h2.emit("connection", socket);
      else acceptHttp1.call(h1, socket);
    });
  });
  return {
    server: h1,
    drain: () => {
      h1.closeIdleConnections();
      sessions.drain();
    },
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function createTlsServer(handler: NodeHandler, limits: Required<ServerLimits>, tls: TlsOptions): DualProtocolServer {
  const server = createSecureServer(
    {
      ...http2Options(limits),
      ...tls,
      allowHTTP1: true,
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.readTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
    } as Parameters<typeof createSecureServer>[0],
    asHttp2(handler),
  );
  const sessions = trackSessions(server, limits.idleTimeoutMs);
  const sockets = new Set<Socket>();
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    // With allowHTTP1 it emits what an HTTP/1.1 server emits.
    server: server as unknown as Server,
    drain: () => sessions.drain(),
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function http2Options(limits: Required<ServerLimits>): Parameters<typeof createHttp2Server>[0] & object {
  const { maxConcurrentStreams, maxHeaderBytes } = limits;
  return { settings: { maxConcurrentStreams, maxHeaderListSize: maxHeaderBytes } };
}

function asHttp2(handler: NodeHandler): Parameters<typeof createHttp2Server>[1] {
  return handler as unknown as Parameters<typeof createHttp2Server>[1];
}

/** Calls back once the first bytes tell the protocol; a client that sends none is cut off. */
function distinguish(socket: Socket, timeoutMs: number, decided: (isHttp2: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const onError = (): void => {
    socket.destroy();
  };
  let seen: Buffer = Buffer.alloc(0);
  const onReadable = (): void => {
    for (let chunk: Buffer | null = socket.read(); chunk; chunk = socket.read()) seen = Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, prefaceStart.length);
    const begins = seen.compare(prefaceStart, 0, length, 0, length) === 0;
    if (begins && seen.length < prefaceStart.length) return;
    stop();
    socket.unshift(seen);
    decided(begins);
  };
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("readable", onReadable);
    socket.off("error", onError);
    socket.off("close", stop);
  };
  socket.on("error", onError);
  socket.on("close", stop);
  socket.on("readable", onReadable);
}

/** Ends connections whose client stopped taking the answer; a silent answer (a stream of events) is left alone. */
function endStalledAnswers(server: Server, timeoutMs: number): void {
  const answering = new WeakSet<Socket>();
  server.timeout = timeoutMs;
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    const { socket } = response;
    if (!socket) return;
    answering.add(socket);
    response.once("close", () => answering.delete(socket));
  });
  server.on("timeout", (socket: Socket) => {
    if (!answering.has(socket) || socket.writableLength > 0) socket.destroy();
  });
}

function trackSessions(server: Http2Server | Http2SecureServer, idleTimeoutMs: number): { drain(): void } {
  const sessions = new Set<{ close(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    let open = 0;
    session.on("stream", (stream) => {
      open += 1;
      stream.once("close", () => {
        open -= 1;
      });
    });
    // Streams may be silent for long; a connection without any is idle.
    session.setTimeout(idleTimeoutMs, () => {
      if (open === 0) session.close();
    });
  });
  return {
    drain: () => {
      for (const session of sessions) session.close();
    },
  };
}
