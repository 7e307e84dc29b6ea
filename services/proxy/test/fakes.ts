import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Access, type AppKey, createAccess } from "@appserver/access";
import { type AppApi, type AppRoute, type RateLimit, unlimitedRoute } from "@appserver/contracts/manifest";
import {
  type BodyPace,
  BufferBudget,
  type Clock,
  LiveConnections,
  type Logger,
  newTraceparent,
  parseTraceparent,
  type RequestHead,
  SystemClock,
  silentLogger,
  silentTracer,
} from "@appserver/kernel";
import type { HandledRequest } from "@appserver/kernel/ports";
import { HttpOutbound, type HttpOutboundOptions } from "@appserver/outbound-http";
import { eventually, MapCache, MapIdentity, RecordingMetrics, SetAuthorization } from "@appserver/testing/kit";
import { handshakeResponse, NodeRequest, NodeResponse, PlainServer, SlowBodies } from "@appserver/transports/http";
import {
  type AppProxy,
  type CircuitChange,
  createProxy,
  type ProxiedApp,
  type ProxyDeps,
  type Upstreams,
} from "../src/index.ts";

/** Opens upstreams only at addresses outside this machine, unless `rules` allow more. */
export function upstreams(rules: Partial<HttpOutboundOptions> = {}): Upstreams {
  const strict = { allow: [], deny: [], allowLoopback: false };
  return new HttpOutbound({ ...strict, clock: new SystemClock(), logger: silentLogger, ...rules });
}

/** Records the log lines. */
export class RecordingLogger implements Logger {
  readonly lines: { readonly level: string; readonly fields: Record<string, unknown>; readonly message: string | undefined }[] =
    [];

  debug(): void {}

  info(fields: object, message?: string): void {
    this.#keep("info", fields, message);
  }

  warn(fields: object, message?: string): void {
    this.#keep("warn", fields, message);
  }

  error(fields: object, message?: string): void {
    this.#keep("error", fields, message);
  }

  child(): Logger {
    return this;
  }

  #keep(level: string, fields: object, message: string | undefined): void {
    this.lines.push({ level, fields: fields as Record<string, unknown>, message });
  }
}

export type AppOptions = Partial<Omit<ProxiedApp, "api">> & {
  readonly url: string;
  readonly managed?: boolean;
  readonly api?: Partial<AppApi>;
};

export function route(pattern: string, more: Partial<AppRoute> = {}): AppRoute {
  return { ...unlimitedRoute("demo"), id: `demo#${pattern}`, pattern, methods: ["GET"], isPublic: true, ...more };
}

/** At most `limit` requests of a caller in a minute. */
export function perMinute(limit: number): RateLimit {
  return { limit, windowSeconds: 60, burst: undefined, keyPattern: "caller" };
}

export function app({ url, managed = true, api, name = "demo", ...more }: AppOptions): ProxiedApp {
  return {
    id: "0199aaaa-0000-7000-8000-000000000001",
    name,
    version: "1.0.0",
    generation: 1,
    api: {
      basePath: "/",
      upstreamBaseUrl: url,
      openapiUrl: undefined,
      stripBasePath: true,
      forwardHeaders: [],
      maxBodyBytes: undefined,
      healthCheck: undefined,
      routes: [],
      everything: unlimitedRoute(name),
      ...api,
    },
    upstream: { url, managed },
    ...more,
  };
}

/** The address of the client, in requests to {@link TestProxy}. */
export const addressHeader = "x-test-address";

/** There are no service accounts. */
const noDatabase = {
  listen: async () => ({ hears: () => true, close: async () => {} }),
  query: async () => ({ rows: [], count: 0 }),
};

/** A proxy behind a real HTTP server, with fakes of the ports. */
export class TestProxy {
  readonly apps = new Map<string, ProxiedApp>();
  readonly keys = new Map<string, AppKey>();
  readonly identity = new MapIdentity();
  readonly authorization = new SetAuthorization();
  readonly logger = new RecordingLogger();
  readonly metrics = new RecordingMetrics();
  /** The circuits that opened and closed. */
  readonly circuits: CircuitChange[] = [];
  /** The requests that the proxy reported at their end. */
  readonly handled: HandledRequest[] = [];
  readonly clock: Clock;
  readonly cache: MapCache;
  readonly connections: LiveConnections;
  readonly permissions: Access["permissions"];
  readonly proxy: AppProxy;
  readonly server: Server;
  /** Reads an app as it is stored now. */
  refresh: (name: string) => Promise<void> = async () => {};
  /** How bodies arrive, as the listener reports it. */
  pace: BodyPace | undefined;
  port = 0;
  #requests = 0;
  readonly #sockets = new Set<Socket>();
  readonly #servers: Server[] = [];

  constructor(options: { readonly clock?: Clock; readonly deps?: Partial<ProxyDeps> } = {}) {
    this.clock = options.clock ?? new SystemClock();
    this.cache = new MapCache(this.clock);
    const { cache, clock, logger, metrics } = this;
    const { authenticator, permissions, rights } = createAccess({
      identity: this.identity,
      keys: { find: (name) => this.keys.get(name), ageMs: () => 0, refresh: async () => {} },
      authorization: this.authorization,
      database: noDatabase,
      cache,
      changes: { recent: () => ({ horizon: 0, latestOf: () => 0 }) },
      clock,
      logger,
      metrics,
      macKey: Buffer.alloc(32, 7),
      sessionCacheTtlMs: 0,
      allowedOrigins: [],
    });
    this.permissions = permissions;
    this.connections = new LiveConnections({ clock, logger });
    this.proxy = createProxy({
      installed: {
        all: () => [...this.apps.values()],
        get: (name) => this.apps.get(name),
        refresh: (name) => this.refresh(name),
      },
      authenticator,
      permissions,
      rights,
      connections: this.connections,
      cache,
      clock,
      logger,
      metrics,
      tracer: silentTracer,
      sessionCookieName: this.identity.sessionCookieName,
      forwardSession: false,
      maxBodyBytes: 10 * 1024 * 1024,
      maxForwardedBytes: 16 * 1024,
      budget: new BufferBudget({ totalBytes: 256 * 1024 * 1024 }),
      upstreams: upstreams(),
      wakes: { wake: async () => {} },
      publicWakes: { perAddress: 6, inAll: 30 },
      wakeTimeoutMs: 30_000,
      circuitEvents: { append: async (changes) => void this.circuits.push(...changes) },
      requests: { add: (record) => void this.handled.push(record) },
      ...options.deps,
    });
    const context = (request: RequestHead) => {
      const traceparent = request.header("traceparent");
      return {
        requestId: `r${++this.#requests}`,
        origins: ["https://platform.example"],
        remoteAddress: request.header(addressHeader) ?? "203.0.113.9",
        traceparent: traceparent !== undefined && parseTraceparent(traceparent) ? traceparent : newTraceparent(),
      };
    };
    const handle = (request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void => {
      const messages = [new NodeRequest(request, this.pace), new NodeResponse(request, response, awaitsContinue)] as const;
      this.proxy.http.handle(...messages, { ...context(messages[0]), awaitsContinue });
    };
    this.server = createServer((request, response) => handle(request, response));
    this.server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      const messages = [new NodeRequest(request), handshakeResponse(request, socket)] as const;
      this.proxy.http.handleUpgrade(...messages, { socket, head }, context(messages[0]));
    });
    this.server.on("checkContinue", (request, response) => handle(request, response, true));
    if (process.env["APPSERVER_PLAIN_PATH"] === "false") return;
    const [acceptByNode] = this.server.listeners("connection") as [(this: Server, socket: Socket) => void];
    const limits = {
      headersTimeoutMs: 15_000,
      readTimeoutMs: 30_000,
      writeTimeoutMs: 30_000,
      idleTimeoutMs: 120_000,
      maxHeaderBytes: 16_384,
    };
    const plain = new PlainServer<true>(
      { find: () => true, handle: (request, response) => this.proxy.http.handle(request, response, context(request)) },
      limits,
      new SlowBodies(),
    );
    this.server.removeAllListeners("connection").on("connection", (socket: Socket) => {
      plain.accept(socket, false, () => {
        acceptByNode.call(this.server, socket);
        socket.resume();
      });
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  async start(...apps: readonly ProxiedApp[]): Promise<this> {
    for (const one of apps) this.apps.set(one.name, one);
    await this.proxy.start?.();
    this.port = await listen(this.server);
    return this;
  }

  /** Starts an upstream on a free port. It stops with the proxy. Returns its URL. */
  async upstream(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    this.#servers.push(server);
    return `http://127.0.0.1:${await listen(server)}`;
  }

  /** Starts an upstream that accepts every WebSocket, and passes it to `onOpen`. Returns its URL. */
  async webSockets(onOpen: (socket: Duplex, request: IncomingMessage, head: Buffer) => void = () => {}): Promise<string> {
    const server = createServer((_, response) => response.writeHead(426).end());
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => {}).on("end", () => socket.destroy());
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      onOpen(socket.resume(), request, head);
    });
    this.#servers.push(server);
    return `http://127.0.0.1:${await listen(server)}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of [this.server, ...this.#servers]) {
      server.closeAllConnections();
      server.close();
    }
    await this.proxy.stop?.();
  }

  fetch(path: string, init: CallInit = {}): Promise<Answer> {
    return call(this.port, path, init);
  }

  /** Resolves when `count` requests are logged. A line is written at the end of its request. */
  async logged(count: number): Promise<readonly Record<string, unknown>[]> {
    const options = { intervalMs: 2, what: `${count} requests are logged` };
    return await eventually(
      () => this.requests,
      ({ length }) => length >= count,
      options,
    );
  }

  /** Returns the lines of the request log so far. */
  get requests(): readonly Record<string, unknown>[] {
    return this.logger.lines.filter(({ message }) => message === "request").map(({ fields }) => fields);
  }
}

/** Begins a WebSocket handshake. */
export function handshake(port: number, path: string, headers: Readonly<Record<string, string>> = {}, early = ""): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  const all = { Host: "h", Connection: "Upgrade", Upgrade: "websocket", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n${early}`);
  return socket;
}

export interface CallInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  json(): Record<string, unknown>;
}

/** Sends one request with the path exactly as given, on a new connection. */
export function call(port: number, path: string, { method = "GET", headers = {}, body }: CallInit = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: "127.0.0.1", path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, json: () => JSON.parse(text) });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Responds with the request as it arrived. */
export const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};
