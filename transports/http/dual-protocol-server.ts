import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, createSecureServer } from "node:http2";
import { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { BodyPace } from "@appserver/kernel";
import { BodyWatch } from "./body-watch.ts";
import { deliveredBytes } from "./delivered-bytes.ts";
import { trackSessions } from "./http2-sessions.ts";
import { isKnownMethod, refuseUnknownMethods } from "./known-methods.ts";
import type { PlainServer } from "./plain/plain-server.ts";
import { SlowBodies } from "./slow-bodies.ts";
import { refuseConnect } from "./socket-responses.ts";

/** Limits of a listening port, in milliseconds and bytes (docs/interface/limits.md#listeners). */
export interface ServerLimits {
  /** Time limit for all headers. */
  readonly headersTimeoutMs: number;
  /** Time limit for each pause of a body; 0: none. */
  readonly readTimeoutMs: number;
  /** Time limit without progress while a response waits to be read. */
  readonly writeTimeoutMs: number;
  /** Time limit between requests. */
  readonly idleTimeoutMs: number;
  /** All headers of a request. */
  readonly maxHeaderBytes: number;
  /** Requests at a time on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** Time until an HTTP/2 connection takes no new requests, or up to a fifth less; 0: none. */
  readonly maxConnectionAgeMs: number;
}

/** PEM texts of a certificate, with its chain, and its key. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TlsOptions extends TlsCertificate {
  /**
   * Whether the server requests a certificate from clients (mTLS), and disconnects those without one. Any certificate is
   * accepted: apps' certificates have no common authority, so the platform checks the key after the handshake.
   */
  readonly clientCertificates: "off" | "optional" | "required";
}

/** Handles HTTP/1.1 and HTTP/2: Node's HTTP/2 compatibility objects have the same members. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface DualProtocolServer {
  readonly server: Server;
  /** Announces on every connection that no further request is accepted. Requests in progress continue. */
  drain(): void;
  /** Closes every connection at once. */
  destroy(): void;
  /** Returns how the body of a request arrives. Undefined if it has none, and after it. */
  paceOf(request: IncomingMessage): BodyPace | undefined;
  /**
   * Uses another certificate for new connections. Throws, and changes nothing, if the key does not belong to the certificate.
   */
  useCertificate(certificate: TlsCertificate): void;
}

type Connections = Omit<DualProtocolServer, "paceOf">;

/** Maximum number of header fields: Node's own limit on HTTP/1.1. */
const maxHeaderFields = 2_000;

/** The first bytes of every HTTP/2 connection (RFC 9113 §3.4). No HTTP/1.1 method begins with these letters. */
const prefaceStart = Buffer.from("PRI");

/** What a handler does itself for some requests. Default: nothing. */
export interface OwnHandling {
  /** Gets every connection of HTTP/1.1 first. */
  readonly plain?: PlainServer<unknown> | undefined;
  /** Counts the slow bodies of the port. Default: one of its own. */
  readonly slowBodies?: SlowBodies;
  /** Returns whether it confirms the request's `Expect: 100-continue`. Other requests are confirmed at once. */
  readonly confirmsBody?: (request: IncomingMessage) => boolean;
  /** Returns whether the server takes requests only until load balancers have noticed that it stops. Default: never. */
  readonly isLeaving?: () => boolean;
  /** Returns whether it limits the pauses of the request's body. */
  readonly watchesBody?: (request: IncomingMessage) => boolean;
}

type ConfirmsBody = (request: IncomingMessage) => boolean;

interface Parts {
  readonly confirmsBody: ConfirmsBody;
  readonly isLeaving: () => boolean;
  readonly plain: PlainServer<unknown> | undefined;
}

/**
 * Creates a server for HTTP/1.1 and HTTP/2 on one port. Detects the protocol by the first bytes in cleartext, and by ALPN with
 * TLS. Without `http2` it serves only HTTP/1.1.
 */
export function createDualProtocolServer(
  handler: NodeHandler,
  limits: ServerLimits,
  tls: TlsOptions | undefined,
  http2: boolean,
  { plain, slowBodies = new SlowBodies(), confirmsBody = never, isLeaving = never, watchesBody = never }: OwnHandling = {},
): DualProtocolServer {
  const bodies = limits.readTimeoutMs > 0 ? new BodyWatch(limits.readTimeoutMs, slowBodies) : undefined;
  const watched: NodeHandler = bodies
    ? (request, response) => {
        if (!watchesBody(request)) bodies.watch(request, response, performance.now());
        handler(request, response);
      }
    : handler;
  const settled = settle(limits);
  const dual = tls
    ? createTlsServer(watched, settled, tls, http2, { confirmsBody, isLeaving, plain })
    : createCleartextServer(watched, settled, http2, { confirmsBody, isLeaving, plain });
  if (bodies) judgeRegularly(bodies, dual.server, limits.readTimeoutMs);
  return { ...dual, paceOf: (request) => bodies?.paceOf(request) };
}

function never(): boolean {
  return false;
}

/** Number of checks for stalled bodies and responses within their time limit. */
const looksPerTimeout = 10;
/** Longest time between two looks for slow clients. */
const longestLookMs = 2_000;

function judgeRegularly(bodies: BodyWatch, server: Server, limitMs: number): void {
  const timer = setInterval(() => bodies.judge(performance.now()), Math.min(limitMs / looksPerTimeout, longestLookMs)).unref();
  server.once("close", () => clearInterval(timer));
}

/** Without a listener for these requests, Node confirms all of them at once. */
function confirmBodies(server: Pick<Server, "on" | "emit">, confirmsBody: ConfirmsBody): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (isKnownMethod(request) && !confirmsBody(request)) response.writeContinue();
    server.emit("request", request, response);
  });
}

function settle(limits: ServerLimits): ServerLimits {
  const { readTimeoutMs, headersTimeoutMs } = limits;
  // Headers must not pause for longer than a body.
  return readTimeoutMs > 0 && readTimeoutMs < headersTimeoutMs ? { ...limits, headersTimeoutMs: readTimeoutMs } : limits;
}

function createCleartextServer(
  handler: NodeHandler,
  limits: ServerLimits,
  http2: boolean,
  { confirmsBody, isLeaving, plain }: Parts,
): Connections {
  const h1 = createServer(http1Options(limits), handler);
  endStalledAnswers(h1, limits.writeTimeoutMs);
  const h2 = createHttp2Server(http2Options(limits), asHttp2(handler));
  confirmBodies(h1, confirmsBody);
  confirmBodies(h2 as unknown as Server, confirmsBody);
  refuseConnect(h1);
  refuseConnect(h2 as unknown as Server);
  const sessions = trackSessions(h2, limits, isLeaving);
  const sockets = new Set<Socket>();
  const [acceptHttp1] = h1.listeners("connection") as [(this: Server, socket: Socket) => void];
  h1.removeAllListeners("connection");
  const accept = (socket: Socket): void =>
    distinguish(socket, limits.headersTimeoutMs, (isHttp2) => {
      if (!isHttp2 || !http2) {
        acceptHttp1.call(h1, socket);
        return;
      }
      // The HTTP/1.1 server leaves a socket half open when its client closes it. With HTTP/2, its streams would never end.
      socket.allowHalfOpen = false;
      h2.emit("connection", socket);
    });
  const handOver = (socket: Socket, isFirst: boolean): void => {
    if (isFirst) accept(socket);
    else continueWith(() => acceptHttp1.call(h1, socket), socket);
  };
  h1.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    if (plain) plain.accept(socket, false, handOver);
    else accept(socket);
  });
  return {
    server: h1,
    drain: () => {
      plain?.drain();
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
  limits: ServerLimits,
  tls: TlsOptions,
  http2: boolean,
  { confirmsBody, isLeaving, plain }: Parts,
): Connections {
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
  // The constructor of this server ignores some of these options.
  Object.assign(server, http1Options(limits));
  // With allowHTTP1 it emits the events of an HTTP/1.1 server.
  const h1 = server as unknown as Server;
  endStalledAnswers(h1, limits.writeTimeoutMs);
  confirmBodies(h1, confirmsBody);
  refuseConnect(h1);
  const sessions = trackSessions(server, limits, isLeaving);
  const sockets = new Set<TLSSocket>();
  const [accept] = server.listeners("secureConnection") as [(this: typeof server, socket: Socket) => void];
  server.removeListener("secureConnection", accept);
  server.on("secureConnection", (socket: TLSSocket) => {
    if (tls.clientCertificates === "required" && !socket.getPeerX509Certificate()) socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const isHttp1 = socket.alpnProtocol === "http/1.1" || socket.alpnProtocol === false;
    if (!plain || !isHttp1) accept.call(server, socket);
    else plain.accept(socket, true, () => continueWith(() => accept.call(server, socket), socket));
  });
  return {
    server: h1,
    drain: () => {
      plain?.drain();
      h1.closeIdleConnections();
      sessions.drain();
    },
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
    useCertificate: ({ cert, key }) => server.setSecureContext({ cert, key }),
  };
}

function asksForCertificate({ clientCertificates }: TlsOptions): boolean {
  return clientCertificates !== "off";
}

function http1Alone({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return protocols.find((protocol) => protocol === "http/1.1");
}

function http1Options(limits: ServerLimits) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // It would limit the whole time of a request. Its pauses are limited by the watch of bodies.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleTimeoutMs,
    // Interval of Node's check for slow requests. Its default is 30 s.
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, longestLookMs),
    // Any other offer (`h2c`, a list, another method) is ignored: the response is an ordinary one of HTTP/1.1 (RFC 9110 §7.8).
    shouldUpgradeCallback: ({ method, headers }: IncomingMessage) =>
      method === "GET" && headers.upgrade?.toLowerCase() === "websocket",
  };
}

function http2Options(limits: ServerLimits): Parameters<typeof createHttp2Server>[0] & object {
  const { maxConcurrentStreams, maxHeaderBytes } = limits;
  // Node's default is 128 fields. In HTTP/2 each cookie may be a separate field.
  return { settings: { maxConcurrentStreams, maxHeaderListSize: maxHeaderBytes }, maxHeaderListPairs: maxHeaderFields };
}

function asHttp2(handler: NodeHandler): Parameters<typeof createHttp2Server>[1] {
  return refuseUnknownMethods(handler) as unknown as Parameters<typeof createHttp2Server>[1];
}

/** Gives a paused connection, some of whose bytes were read, to Node's server. */
function continueWith(accept: () => void, socket: Socket): void {
  accept();
  // Node's server only listens, and leaves a paused connection as it is.
  socket.resume();
}

/** Calls back once the first bytes identify the protocol. Disconnects a client that sends none. */
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

/**
 * Closes connections whose client stopped reading the response. Does not close a silent response (a stream of events). Node's
 * own socket timeout is not sufficient: it restarts if bytes moved since it was set, and so lasts up to twice as long.
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
  // A TLS port emits it for HTTP/2 sessions, too, which have their own limits.
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
  /** Bytes that the kernel has accepted. */
  delivered: number;
  /** Time at which this number was first seen. */
  at: number;
}
