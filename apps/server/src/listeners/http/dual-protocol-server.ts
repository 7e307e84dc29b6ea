import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, createSecureServer } from "node:http2";
import { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { trackSessions } from "./http2-sessions.ts";

/** Limits of a listening port, in milliseconds and bytes (docs/interface/limits.md#listeners). */
export interface ServerLimits {
  /** Until the last header has arrived. Default 15 s. */
  readonly headersTimeoutMs?: number;
  /** Until the last byte of the body has arrived. Default 30 s; 0 for streams without end. */
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

/** PEM texts of a certificate, with its chain, and its key. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TlsOptions extends TlsCertificate {
  /**
   * Whether clients are asked for a certificate (mTLS), and cut off without one. Any certificate will do: apps' certificates
   * have no common authority, so whose key it is decides, after the handshake. Default `off`.
   */
  readonly clientCertificates?: "off" | "optional" | "required";
}

/** Serves HTTP/1.1 and HTTP/2 alike: Node's HTTP/2 compatibility objects have the same members. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface DualProtocolServer {
  readonly server: Server;
  /** Tells every connection that no further request will be taken; those under way go on. */
  drain(): void;
  /** Ends every connection at once. */
  destroy(): void;
  /** Serves new connections with another certificate. Throws, with all as it was, when the key is not the certificate's. */
  useCertificate(certificate: TlsCertificate): void;
}

const defaults = {
  headersTimeoutMs: 15_000,
  readTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  idleTimeoutMs: 120_000,
  maxHeaderBytes: 1_048_576,
  maxConcurrentStreams: 100,
};

/** Fields of a header section: Node's own limit on HTTP/1.1. */
const mostHeaderFields = 2_000;

/** What every HTTP/2 connection begins with (RFC 9113 §3.4); no HTTP/1.1 method begins with these letters. */
const prefaceStart = Buffer.from("PRI");

/**
 * One port for HTTP/1.1 and HTTP/2: cleartext is told apart by its first bytes, TLS by ALPN. Without `http2` it speaks
 * HTTP/1.1 alone.
 */
export function createDualProtocolServer(
  handler: NodeHandler,
  limits: ServerLimits = {},
  tls?: TlsOptions,
  http2: boolean = true,
): DualProtocolServer {
  const settled = settle(limits);
  return tls ? createTlsServer(handler, settled, tls, http2) : createCleartextServer(handler, settled, http2);
}

function settle(limits: ServerLimits): Required<ServerLimits> {
  const settled = { ...defaults, ...limits };
  const { readTimeoutMs, headersTimeoutMs } = settled;
  // Headers are the first part of what is read; Node refuses limits that contradict each other.
  return readTimeoutMs > 0 && readTimeoutMs < headersTimeoutMs ? { ...settled, headersTimeoutMs: readTimeoutMs } : settled;
}

function createCleartextServer(handler: NodeHandler, limits: Required<ServerLimits>, http2: boolean): DualProtocolServer {
  const h1 = createServer(http1Options(limits), handler);
  endStalledAnswers(h1, limits.writeTimeoutMs);
  const h2 = createHttp2Server(http2Options(limits), asHttp2(handler));
  const sessions = trackSessions(h2, limits);
  const sockets = new Set<Socket>();
  const [acceptHttp1] = h1.listeners("connection") as [(this: Server, socket: Socket) => void];
  h1.removeAllListeners("connection");
  h1.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    distinguish(socket, limits.headersTimeoutMs, (isHttp2) => {
      if (!isHttp2 || !http2) {
        acceptHttp1.call(h1, socket);
        return;
      }
      // HTTP/1.1's server leaves a socket half open when its client closes it; in HTTP/2 the streams on it would never end.
      socket.allowHalfOpen = false;
      h2.emit("connection", socket);
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
    useCertificate: () => {
      throw new Error("this port has no TLS");
    },
  };
}

function createTlsServer(
  handler: NodeHandler,
  limits: Required<ServerLimits>,
  tls: TlsOptions,
  http2: boolean,
): DualProtocolServer {
  const server = createSecureServer(
    {
      ...http2Options(limits),
      cert: tls.cert,
      key: tls.key,
      requestCert: asksForCertificate(tls),
      rejectUnauthorized: false,
      allowHTTP1: true,
      ...(!http2 && { ALPNCallback: http1Alone }),
      handshakeTimeout: limits.headersTimeoutMs,
    },
    asHttp2(handler),
  );
  // Some of them are ignored as options of this server.
  Object.assign(server, http1Options(limits));
  // With allowHTTP1 it emits what an HTTP/1.1 server emits.
  const h1 = server as unknown as Server;
  endStalledAnswers(h1, limits.writeTimeoutMs);
  const sessions = trackSessions(server, limits);
  const sockets = new Set<TLSSocket>();
  // Before the protocols get the connection.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    if (tls.clientCertificates === "required" && !socket.getPeerX509Certificate()) socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
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
    useCertificate: ({ cert, key }) => server.setSecureContext({ cert, key }),
  };
}

function asksForCertificate({ clientCertificates = "off" }: TlsOptions): boolean {
  return clientCertificates !== "off";
}

function http1Alone({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return protocols.find((protocol) => protocol === "http/1.1");
}

function http1Options(limits: Required<ServerLimits>) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.readTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    // Node looks at slow requests only so often, and by default every 30 s.
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 2_000),
    // `Upgrade: h2c` is not taken up: the request is answered as HTTP/1.1 (RFC 9110 §7.8).
    shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === "websocket",
  };
}

function http2Options(limits: Required<ServerLimits>): Parameters<typeof createHttp2Server>[0] & object {
  const { maxConcurrentStreams, maxHeaderBytes } = limits;
  // Node's default is 128 fields; in HTTP/2 each cookie may be one.
  return { settings: { maxConcurrentStreams, maxHeaderListSize: maxHeaderBytes }, maxHeaderListPairs: mostHeaderFields };
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

/** How often stalled answers are looked for, as a share of the write timeout. */
const looksPerTimeout = 10;

/**
 * Ends connections whose client stopped taking the answer; a silent answer (a stream of events) is left alone. Node's own timeout
 * of a socket does not do: it begins again when bytes moved since it was set, and so lasts up to twice as long.
 */
function endStalledAnswers(server: Server, timeoutMs: number): void {
  const answering = new Map<Socket, Progress>();
  server.timeout = timeoutMs;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = response;
    if (!socket || request.httpVersionMajor !== 1) return;
    answering.set(socket, { delivered: deliveredBytes(socket), at: performance.now() });
    response.once("close", () => answering.delete(socket));
  });
  // On a TLS port it is emitted with HTTP/2's sessions, too, which have limits of their own.
  server.on("timeout", (socket: unknown) => {
    if (socket instanceof Socket && !answering.has(socket)) socket.destroy();
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, progress] of answering) {
      const delivered = deliveredBytes(socket);
      if (socket.writableLength === 0 || delivered !== progress.delivered) Object.assign(progress, { delivered, at: now });
      else if (now - progress.at >= timeoutMs) socket.destroy();
    }
  }, timeoutMs / looksPerTimeout);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

interface Progress {
  /** Bytes that the kernel has taken. */
  delivered: number;
  /** When that was seen first. */
  at: number;
}

/** Bytes of a large piece that the kernel took in part are known to the handle alone, as Node itself reads them there. */
function deliveredBytes(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength);
}
