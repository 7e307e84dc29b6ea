import type { KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { userEmailHeader, userNameHeader } from "@appserver/contracts/forwarding";
import { readForwardSecret } from "./app-identity.ts";
import { type BodyFields, bodyFields } from "./body-fields.ts";
import { type CallerPermissions, callerPermissions } from "./caller-permissions.ts";
import { runInTrace } from "./current-trace.ts";
import { HttpError } from "./http-error.ts";
import { logLine } from "./log-line.ts";
import { type AppEvent, OpenStreams, type UpgradeHandler } from "./open-streams.ts";
import type { PlatformClient } from "./platform-client.ts";
import { ForwardSignatureError, forwardKey, verifyForwarded } from "./verify-forwarded.ts";

/** The caller, as set by the platform in request headers. The platform removes these headers from incoming requests. */
export interface AppCaller {
  readonly userId: string | undefined;
  readonly appName: string | undefined;
  /** The id of a service account. */
  readonly machineId: string | undefined;
  /** The name of the user. Undefined for other callers, and unless the app holds the permission `people:read`. */
  readonly displayName: string | undefined;
  /** The e-mail address of the user, as {@link displayName}. Undefined if the platform has none. It may not be proven. */
  readonly email: string | undefined;
}

export interface AppCall {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Decoded values of `{name}` segments. The value of `{rest...}` contains slashes. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: AppCaller;
  /** Returns the id of the user who calls. Throws HttpError with 403 for other callers. */
  userId(): string;
  /** Returns a segment of the path that is a number of 1 to 2,147,483,647, as `integer` of PostgreSQL. Throws HttpError with 404 for others. */
  idParam(name: string): number;
  /**
   * Returns whether the caller holds a permission of this app, as its manifest names it: `notes:approve`. False for callers without an account,
   * and for service accounts: what these may do depends on their token, and only `scopes` of a route decide about it. Rejects if the
   * platform cannot be asked.
   */
  can(permission: string): Promise<boolean>;
  readonly requestId: string | undefined;
  readonly request: IncomingMessage;
  /** Reads the body as JSON. Rejects with 400 if it is not JSON, with 413 if it exceeds `maxBytes` (default 1 MiB). */
  json(maxBytes?: number): Promise<unknown>;
  /** Reads the body as {@link json} and returns the fields of the object that it must be. */
  fields(maxBytes?: number): Promise<BodyFields>;
}

/** Response of a handler: a status and a value that is sent as JSON, or a stream of events. */
export interface AppAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Sent as `text/event-stream` until there are no more. The stream also ends with the client, and when the app stops. */
  readonly events?: AsyncIterable<AppEvent>;
}

export type AppHandler = (call: AppCall) => AppAnswer | Promise<AppAnswer>;

export interface ServeAppOptions {
  readonly host: string;
  readonly port: number;
  /**
   * Handlers by `METHOD /path`, with `{name}` for one segment and a final `{name...}` for the rest: `GET /notes/{id}`. The
   * first match is used. GET routes also handle HEAD.
   */
  readonly routes: Readonly<Record<string, AppHandler>>;
  /** Path of the platform's health checks. Default `/health`. */
  readonly healthPath?: string;
  /** Throws if the app is unhealthy. The health check then returns 503 with the message. */
  readonly health?: () => void | Promise<void>;
  /**
   * Takes WebSocket handshakes, for example with `handleUpgrade` of the package `ws`. When the app stops, open WebSockets are
   * closed with the code 1001.
   */
  readonly onUpgrade?: UpgradeHandler;
  /**
   * The secret that the app shares with the platform: requests without the platform's signature are then refused with 401, except
   * GET requests for the health path. Default: `forward-secret` of the identity that the platform made for the app; without one,
   * nothing is checked. An app that the platform does not run passes its push secret (`whsec_…`). False: nothing is checked.
   */
  readonly forwardSecret?: string | false;
  /** What {@link AppCall.can} asks. Default: the platform that runs the app. */
  readonly platform?: Pick<PlatformClient, "access">;
  /**
   * Whether each request is printed as a line with its route, status, duration, request id and trace id, at its end. Health checks
   * are not. Default false.
   */
  readonly logRequests?: boolean;
}

export interface RunningApp {
  readonly port: number;
  /** Accepts no more connections, ends event streams and WebSockets, and resolves when active requests are finished. */
  stop(): Promise<void>;
}

/**
 * Serves an app's backend. Rejects with a clear message if the port is in use, and with RangeError if the forward secret is
 * invalid.
 */
export async function serveApp(options: ServeAppOptions): Promise<RunningApp> {
  const routes = Object.entries(options.routes).map(([key, handler]) => compileRoute(key, handler));
  const healthPath = options.healthPath ?? "/health";
  const healthRoute = compileRoute(`GET ${healthPath}`, () => healthAnswer(options));
  const streams = new OpenStreams();
  const secret = options.forwardSecret ?? (await readForwardSecret(process.env));
  const key = secret ? forwardKey(secret) : undefined;
  const check = (request: IncomingMessage, path: string): void => {
    const isProbe = request.method === "GET" && healthRoute.pattern.test(path);
    if (key && !isProbe) verifyForwarded(key, request);
  };
  const { logRequests = false } = options;
  const permissions = callerPermissions(options.platform);
  const serving = { healthRoute, streams, check, permissions, logRequests, keepsServing: () => server.listening };
  const server = createServer((request, response) => {
    void runInTrace(traceOf(request), () => answer(routes, request, response, serving));
  });
  const { onUpgrade } = options;
  const checked: UpgradeHandler = (request, socket, head) => {
    if (!key || isFromPlatform(key, request)) return runInTrace(traceOf(request), () => onUpgrade?.(request, socket, head));
    socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  };
  if (onUpgrade) server.on("upgrade", (request, socket, head) => streams.upgrade(checked, request, socket, head));
  await listen(server, options.host, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        streams.stop();
      }),
  };
}

function isFromPlatform(key: KeyObject, request: IncomingMessage): boolean {
  try {
    verifyForwarded(key, request);
    return true;
  } catch (error) {
    if (error instanceof ForwardSignatureError) return false;
    throw error;
  }
}

async function healthAnswer(options: ServeAppOptions): Promise<AppAnswer> {
  try {
    await options.health?.();
    return { json: { status: "ok" } };
  } catch (error) {
    return { status: 503, json: { status: "unhealthy", error: error instanceof Error ? error.message : String(error) } };
  }
}

/** Less than the 10 s after which the platform kills a container (docs/interface/limits.md#container-limits). */
const stopTimeoutMs = 9_000;

/** Stops the app on SIGTERM and SIGINT. Exits with the code 0 when the app has stopped, at the latest after 9 s. */
export function stopOnSignals(app: RunningApp): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(0), stopTimeoutMs);
      void app.stop().then(() => process.exit(0));
    });
  }
}

interface CompiledRoute {
  /** `GET /notes/{id}` */
  readonly key: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: AppHandler;
}

function compileRoute(key: string, handler: AppHandler): CompiledRoute {
  const [method = "", path = ""] = key.split(" ");
  if (!path.startsWith("/")) throw new Error(`${JSON.stringify(key)} is not a route: expected "METHOD /path"`);
  const source = path
    .split("/")
    .map((segment) => {
      const name = /^\{(\w+)(\.\.\.)?\}$/.exec(segment);
      if (!name) return segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return name[2] ? `(?<${name[1]}>.*)` : `(?<${name[1]}>[^/]+)`;
    })
    .join("/");
  return { key, method: method.toUpperCase(), pattern: new RegExp(`^${source}$`), handler };
}

interface AnsweringServer {
  readonly healthRoute: CompiledRoute;
  readonly streams: OpenStreams;
  /** Throws ForwardSignatureError if the platform did not send the request. */
  check(request: IncomingMessage, path: string): void;
  readonly permissions: CallerPermissions;
  keepsServing(): boolean;
  readonly logRequests: boolean;
}

async function answer(
  routes: readonly CompiledRoute[],
  request: IncomingMessage,
  response: ServerResponse,
  server: AnsweringServer,
): Promise<void> {
  const startedAt = performance.now();
  let answered: CompiledRoute | undefined;
  const reply = async (given: AppAnswer): Promise<void> => {
    // An open idle connection would delay the stop of the server by seconds.
    if (given.events || !server.keepsServing()) response.setHeader("connection", "close");
    if (given.events && request.method !== "HEAD") await sendEvents(response, given, given.events, server.streams);
    else send(response, given);
  };
  try {
    const { path, query } = target(request);
    server.check(request, path);
    const matching = [server.healthRoute, ...routes].filter((route) => route.pattern.test(path));
    const route = matching.find(({ method }) => method === request.method || (request.method === "HEAD" && method === "GET"));
    if (!route) {
      if (matching.length === 0) throw new HttpError(404, `no route matches ${path}`);
      response.setHeader("allow", matching.map(({ method }) => method).join(", "));
      throw new HttpError(405, `${request.method} is not allowed at ${path}`);
    }
    answered = route;
    await reply(await route.handler(callOf(request, path, query, route, server.permissions)));
  } catch (error) {
    const known = statusOf(error);
    if (!known) console.error(error);
    if (response.headersSent) return;
    const { status, message } = known ?? new HttpError(500, "an unexpected error");
    await reply({ status, json: { error: message } });
  } finally {
    if (server.logRequests && answered !== server.healthRoute) logRequest(answered, response.statusCode, startedAt);
  }
}

/** Prints the route, never the path, which may contain personal data. */
function logRequest(route: CompiledRoute | undefined, status: number, startedAt: number): void {
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
  logLine(status >= 500 ? "error" : "info", "request", { route: route?.key, status, durationMs });
}

function traceOf(request: IncomingMessage) {
  return { traceparent: header(request, "traceparent"), requestId: header(request, "x-request-id") };
}

function statusOf(error: unknown): HttpError | undefined {
  if (error instanceof ForwardSignatureError) return new HttpError(401, error.message);
  return error instanceof HttpError ? error : undefined;
}

/** Splits path and query without URL, which would parse `//notes/1` as the path `/1` on the host `notes`. */
function target(request: IncomingMessage): { readonly path: string; readonly query: string } {
  const [path = "", ...query] = (request.url ?? "/").split("?");
  // A handler may use the path as a file path, which must not lead out of its folder.
  if (/(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i.test(path)) throw new HttpError(400, "the path has dot segments");
  return { path, query: query.join("?") };
}

const maxInteger = 2_147_483_647;

function callOf(
  request: IncomingMessage,
  path: string,
  query: string,
  route: CompiledRoute,
  permissions: CallerPermissions,
): AppCall {
  const groups = route.pattern.exec(path)?.groups ?? {};
  const params = Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value, "the path")]));
  const caller = callerOf(request);
  const json = (maxBytes = 1024 * 1024): Promise<unknown> => readJson(request, maxBytes);
  return {
    method: request.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    params,
    caller,
    userId: () => {
      if (caller.userId === undefined) throw new HttpError(403, "only a user may call this");
      return caller.userId;
    },
    idParam: (name) => {
      const id = Number(/^[1-9]\d{0,9}$/.exec(params[name] ?? "")?.[0]);
      if (!(id <= maxInteger)) throw new HttpError(404, `${name} must be a number of 1 to ${maxInteger}`);
      return id;
    },
    can: (permission) => permissions(caller, permission),
    requestId: header(request, "x-request-id"),
    request,
    json,
    fields: async (maxBytes) => bodyFields(await json(maxBytes)),
  };
}

function callerOf(request: IncomingMessage): AppCaller {
  return {
    userId: header(request, "x-user-id"),
    appName: header(request, "x-app-name"),
    machineId: header(request, "x-machine-id"),
    displayName: decodedHeader(request, userNameHeader),
    email: decodedHeader(request, userEmailHeader),
  };
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400, `${what} is not valid percent-encoding`);
  }
}

function decodedHeader(request: IncomingMessage, name: string): string | undefined {
  const value = header(request, name);
  return value === undefined ? undefined : decode(value, `the header ${name}`);
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new HttpError(413, `the body has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    // Skips a byte order mark, unlike a buffer's own method.
    return JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
  } catch {
    throw new HttpError(400, "the body is not JSON");
  }
}

function send(response: ServerResponse, given: AppAnswer): void {
  const { status = 200, headers = {}, json } = given;
  const body = json === undefined ? "" : JSON.stringify(json);
  response.writeHead(status, { ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers });
  response.end(body);
}

function sendEvents(
  response: ServerResponse,
  { status = 200, headers = {} }: AppAnswer,
  events: AsyncIterable<AppEvent>,
  streams: OpenStreams,
): Promise<void> {
  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-store", ...headers });
  return streams.sendEvents(response, events);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new Error(`port ${port} on ${host} is in use; set PORT to another`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}
