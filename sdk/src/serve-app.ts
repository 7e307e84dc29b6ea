import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Who calls, as the platform vouches for it: it strips these headers from what callers send. */
export interface AppCaller {
  readonly userId: string | undefined;
  readonly appName: string | undefined;
}

export interface AppCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Values of `{name}` segments, decoded; `{rest...}` holds slashes. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: AppCaller;
  readonly requestId: string | undefined;
  readonly request: IncomingMessage;
  /** The body as JSON. Rejects with a 400 for what is none, with a 413 for more than `maxBytes` (default 1 MiB). */
  json(maxBytes?: number): Promise<unknown>;
}

/** What a handler answers: a status and a value that is sent as JSON. */
export interface AppAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

export type AppHandler = (call: AppCall) => AppAnswer | Promise<AppAnswer>;

/** A refusal that the caller shall see. Anything else that a handler throws is answered 500 and printed. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ServeAppOptions {
  readonly host: string;
  readonly port: number;
  /**
   * By `METHOD /path`, with `{name}` for one segment and a final `{name...}` for the rest: `GET /notes/{id}`. The first
   * that fits answers; GET answers HEAD too.
   */
  readonly routes: Readonly<Record<string, AppHandler>>;
  /** Answers the platform's health checks. Default `/health`. */
  readonly healthPath?: string;
  /** Throws when the app is not well: the health check is answered 503 with the message. */
  readonly health?: () => void | Promise<void>;
}

export interface RunningApp {
  readonly port: number;
  /** Finishes what is under way, then closes. */
  stop(): Promise<void>;
}

/** Serves an app's backend. Rejects with one clear sentence when the port is in use. */
export async function serveApp(options: ServeAppOptions): Promise<RunningApp> {
  const routes = Object.entries(options.routes).map(([key, handler]) => compileRoute(key, handler));
  const healthPath = options.healthPath ?? "/health";
  const healthRoute = compileRoute(`GET ${healthPath}`, () => healthAnswer(options));
  const server = createServer((request, response) => {
    void answer([healthRoute, ...routes], request, response, () => server.listening);
  });
  await listen(server, options.host, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function healthAnswer(options: ServeAppOptions): Promise<AppAnswer> {
  try {
    await options.health?.();
    return { json: { status: "ok" } };
  } catch (error) {
    return { status: 503, json: { status: "unhealthy", error: error instanceof Error ? error.message : String(error) } };
  }
}

/** Stops the app when the platform asks it to end. */
export function stopOnSignals(app: RunningApp): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      void app.stop().then(() => process.exit(0));
    });
  }
}

interface CompiledRoute {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: AppHandler;
}

function compileRoute(key: string, handler: AppHandler): CompiledRoute {
  const [method = "", path = ""] = key.split(" ");
  if (!path.startsWith("/")) throw new Error(`${JSON.stringify(key)} is no route: "METHOD /path" is expected`);
  const source = path
    .split("/")
    .map((segment) => {
      const name = /^\{(\w+)(\.\.\.)?\}$/.exec(segment);
      if (!name) return segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return name[2] ? `(?<${name[1]}>.*)` : `(?<${name[1]}>[^/]+)`;
    })
    .join("/");
  return { method: method.toUpperCase(), pattern: new RegExp(`^${source}$`), handler };
}

async function answer(
  routes: readonly CompiledRoute[],
  request: IncomingMessage,
  response: ServerResponse,
  keepsServing: () => boolean,
): Promise<void> {
  const reply = (given: AppAnswer): void => {
    // A connection that stays open would hold the server that wants to stop until it is idle for seconds.
    if (!keepsServing()) response.setHeader("connection", "close");
    send(response, given);
  };
  try {
    const { path, query } = target(request);
    const matching = routes.filter((route) => route.pattern.test(path));
    const route = matching.find(({ method }) => method === request.method || (request.method === "HEAD" && method === "GET"));
    if (!route) {
      if (matching.length === 0) throw new HttpError(404, `there is nothing at ${path}`);
      response.setHeader("allow", matching.map(({ method }) => method).join(", "));
      throw new HttpError(405, `${request.method} is not allowed at ${path}`);
    }
    reply(await route.handler(callOf(request, path, query, route)));
  } catch (error) {
    if (!(error instanceof HttpError)) console.error(error);
    const known = error instanceof HttpError ? error : new HttpError(500, "an unforeseen error");
    reply({ status: known.status, json: { error: known.message } });
  }
}

/** Path and query as they were sent. Not through URL, which would take `//notes/1` for `/1` of a host called notes. */
function target(request: IncomingMessage): { readonly path: string; readonly query: string } {
  const [path = "", ...query] = (request.url ?? "/").split("?");
  // What a handler takes for a file's path must not lead out of its folder.
  if (/(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i.test(path)) throw new HttpError(400, "the path has dot segments");
  return { path, query: query.join("?") };
}

function callOf(request: IncomingMessage, path: string, query: string, route: CompiledRoute): AppCall {
  const groups = route.pattern.exec(path)?.groups ?? {};
  return {
    method: request.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    params: Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)])),
    caller: { userId: header(request, "x-user-id"), appName: header(request, "x-app-name") },
    requestId: header(request, "x-request-id"),
    request,
    json: (maxBytes = 1024 * 1024) => readJson(request, maxBytes),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400, "the path is not valid percent-encoding");
  }
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
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
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
