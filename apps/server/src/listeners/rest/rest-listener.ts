import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, type BufferBudget, type Caller, requireInputTexts } from "@appserver/kernel";
import type { Authenticate } from "../graphql/context.ts";
import { HttpStatusError } from "../http/error-response.ts";
import { parseJson, requireJson } from "../http/json-body.ts";
import { leasedBody } from "../http/leased-body.ts";
import type { RawHandler, RequestContext } from "../http/request-context.ts";
import { requireJsonInput } from "../json-input.ts";

/** A request as passed to handlers. */
export interface RestCall {
  readonly caller: Caller;
  /** Values of `{name}` segments of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as JSON; undefined for GET. */
  readonly body: unknown;
}

/** The response of a handler: a value as JSON, or an error with its own status. */
export interface RestReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly error?: AppError;
}

type RestMethod = "GET" | "PUT" | "POST" | "DELETE";
type RestHandler = (call: RestCall) => Promise<RestReply>;

/** One path of REST v2. `{name}` stands for one segment. */
export interface RestRoute {
  readonly path: string;
  readonly methods: Readonly<Partial<Record<RestMethod, RestHandler>>>;
}

export interface RestListenerOptions {
  readonly routes: readonly RestRoute[];
  readonly authenticate: Authenticate;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Budget of buffered bodies, shared by all transports. */
  readonly budget: BufferBudget;
}

/** Serves `/api/v2/*` (docs/interface/rest.md#endpoints). The HTTP listener maps the errors that it throws. */
export function createRestListener(options: RestListenerOptions): RawHandler {
  const routes = options.routes.map(({ path, methods }) => ({ pattern: compile(path), methods }));
  const { authenticate, budget, maxBodyBytes = 1_048_576 } = options;

  const handle = async (request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> => {
    const { method = "", url = "", headers } = request;
    const path = url.split("?", 1)[0] ?? "";
    const route = routes.find(({ pattern }) => pattern.test(path));
    if (!route) throw new AppError("NOT_FOUND", "there is nothing at this path");
    const allow = allowed(route.methods);
    if (method === "OPTIONS") {
      send(response, { status: 204, headers: { allow } }, context, false);
      return;
    }
    const handler = route.methods[(method === "HEAD" ? "GET" : method) as RestMethod];
    if (!handler) throw new HttpStatusError(405, new AppError("INVALID_REQUEST", `use ${allow}`), { allow });
    const hasBody = method === "PUT" || method === "POST";
    if (hasBody) requireJson(headers["content-type"]);
    const leased = leasedBody(request, maxBodyBytes, budget);
    const readBody = () => (hasBody ? leased.read() : new Uint8Array());
    let caller: Caller;
    let body: unknown;
    try {
      caller = await authenticate({ method, url, headers, remoteAddress: context.remoteAddress, readBody });
      if (caller.kind !== "anonymous") leased.prove();
      body = hasBody ? parseJson((await leased.read()).toString("utf8"), "the body") : undefined;
    } finally {
      leased.release();
    }
    const params = paramsOf(route.pattern, path);
    requireInputTexts(params, { name: "path" });
    requireJsonInput(body, "the body");
    const reply = await handler({ caller, params, header: (name) => textOf(headers[name]), body });
    if (reply.error) throw new HttpStatusError(reply.status, reply.error, reply.headers);
    send(response, reply, context, method !== "HEAD");
  };
  return { handle };
}

function compile(path: string): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return new RegExp(`^${source}$`);
}

function allowed(methods: RestRoute["methods"]): string {
  const names = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]));
  return [...names, "OPTIONS"].join(", ");
}

function paramsOf(pattern: RegExp, path: string): Readonly<Record<string, string>> {
  const groups = Object.entries(pattern.exec(path)?.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new AppError("INVALID_REQUEST", "the path is not valid percent-encoding");
  }
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

function send(
  response: ServerResponse,
  { status, headers = {}, json }: RestReply,
  { requestId }: RequestContext,
  withBody: boolean,
): void {
  if (response.destroyed) return;
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  response.writeHead(status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...headers,
    // Keeps the `Vary` values that CORS has set.
    ...(headers["vary"] !== undefined && { vary: [response.getHeader("vary"), headers["vary"]].filter(Boolean).join(", ") }),
    ...(body && { "content-type": "application/json; charset=utf-8", "content-length": String(body.length) }),
  });
  response.end(withBody ? body : undefined);
}
