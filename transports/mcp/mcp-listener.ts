import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentAccess } from "@appserver/access";
import {
  AppError,
  agentOf,
  type BatchedPermissions,
  type BufferBudget,
  type Caller,
  type Clock,
  type LiveConnections,
  type Logger,
  type MaybePromise,
  pipelineOf,
  type RequestContext,
  type RequestHead,
  type RestRoute,
  subjectOf,
} from "@appserver/kernel";
import type { Authenticate, GraphqlCredentials } from "../graphql/context.ts";
import { agentOrigin, agentPaths, agentResource } from "../http/agents/agent-origin.ts";
import { HttpStatusError } from "../http/error-response.ts";
import { requireJson } from "../http/json-body.ts";
import { NodeRequest } from "../http/node-request.ts";
import type { Origins } from "../http/origins.ts";
import type { RawHandler } from "../http/request-context.ts";
import { InboundCall } from "../inbound-call.ts";
import { type ReceivedCall, receiveCall } from "../rest/receive-call.ts";
import { saidClient } from "./agent-client.ts";
import { AgentTools } from "./agent-tools.ts";
import type { AppToolSource } from "./app-tool-source.ts";
import { AppTools } from "./app-tools.ts";
import { ChangeNotice } from "./change-notice.ts";
import { operationTools } from "./operation-tool.ts";
import type { McpServer } from "./package-server.ts";
import { PlatformTools } from "./platform-tools.ts";
import type { CallRecords } from "./recorded-calls.ts";
import type { DocsFolder } from "./resources.ts";
import type { AgentCall } from "./tool.ts";

export interface McpListenerOptions extends CallRecords {
  /** The routes of REST, which are what tools call. */
  readonly routes: readonly RestRoute[];
  /** Version of the platform. */
  readonly version: string;
  /** Undefined where the documentation is not served. */
  readonly docs?: DocsFolder | undefined;
  /** Returns the name of the app with this id, undefined if there is none. */
  readonly nameOf: (appId: string) => Promise<string | undefined>;
  /** The apps whose routes are tools. */
  readonly apps: AppToolSource;
  readonly permissions: BatchedPermissions;
  readonly authenticate: Authenticate;
  /** Knows the tokens that people have given to programs. */
  readonly agents: Pick<AgentAccess, "authenticate">;
  /** The origin that the operator has named. */
  readonly publicOrigin: string | undefined;
  /** Registry of open subscriptions. It checks their callers again. */
  readonly connections: Pick<LiveConnections, "join">;
  readonly origins: Origins;
  /** Budget of buffered bodies, shared by all transports. */
  readonly budget: BufferBudget;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The handler of `/mcp` (docs/interface/mcp.md). */
export interface McpListener extends RawHandler {
  /** Tells subscribers that they may call other tools now, at most once a second. */
  toolsChanged(): void;
}

export function createMcpListener(options: McpListenerOptions): McpListener {
  return new BearerListener(options);
}

/** The messages that hold a stream open. */
const listenMethod = "subscriptions/listen";

class BearerListener implements McpListener {
  readonly #options: McpListenerOptions;
  readonly #tools: AgentTools;
  #server: Promise<McpServer> | undefined;
  readonly #changes: ChangeNotice;

  constructor(options: McpListenerOptions) {
    this.#options = options;
    const { apps, permissions, routes } = options;
    const platform = new PlatformTools(operationTools(routes, options), permissions);
    this.#tools = new AgentTools(platform, new AppTools(apps, permissions));
    this.#changes = new ChangeNotice(() => this.#withServer((server) => server.toolsChanged()), options.clock);
  }

  async handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const inbound = new NodeRequest(request);
    // A page that has made its name that of the platform has no token, but a browser may have an extension that adds one.
    if (!this.#options.origins.admits(inbound))
      throw new AppError("PERMISSION_DENIED", "pages of this origin may not use the platform");
    if (request.method !== "POST")
      throw new HttpStatusError(405, new AppError("INVALID_REQUEST", "use POST here"), { allow: "POST" });
    const { caller, credentials, body } = await this.#receive(request, context);
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-request-id", context.requestId);
    // Neither revision has batches, but the package would run all of their calls at once.
    if (Array.isArray(body)) throw new AppError("INVALID_REQUEST", "the body must be one message, got a list");
    const client = saidClient(body, request.headers["user-agent"]);
    const reauthenticate = this.#reauthentication(caller, credentials, context);
    const call = new McpCall(withClient(caller, client), contextOf(inbound, context), reauthenticate);
    const leave = isListen(body) ? this.#join(response, call) : undefined;
    response.once("close", () => {
      leave?.();
      call.end();
    });
    this.#server ??= import("./mcp-server.ts").then(({ createMcpServer }) => createMcpServer(this.#options, this.#tools));
    await (await this.#server).handle(request, response, { call, body });
  }

  toolsChanged(): void {
    this.#changes.changed();
  }

  /** Ends subscriptions: a client connects again, and finds another server. */
  drain(): void {
    this.#changes.stop();
    this.#withServer((server) => server.close());
  }

  /** Does something with the server, if a request has loaded it. */
  #withServer(work: (server: McpServer) => void | Promise<void>): void {
    const failed = (error: unknown): void => this.#options.logger.warn({ err: error }, "mcp: subscribers were not notified");
    this.#server?.then(work).catch(failed);
  }

  async #receive(request: IncomingMessage, context: RequestContext): Promise<ReceivedCall> {
    const { budget } = this.#options;
    try {
      return await receiveCall(request, context, {
        authenticate: async (credentials) => {
          const caller = await this.#callerOf(credentials, context);
          requireJson(request.headers["content-type"]);
          return caller;
        },
        budget,
        hasBody: true,
      });
    } catch (error) {
      if (error instanceof AppError && (error.code === "AUTHENTICATION_REQUIRED" || error.code === "AUTHENTICATION_FAILED"))
        throw new HttpStatusError(401, error, { "www-authenticate": this.#challenge(error.code, context) });
      throw error;
    }
  }

  /** Throws AUTHENTICATION_REQUIRED or AUTHENTICATION_FAILED without the token of a person, a service account or a program. */
  async #callerOf(credentials: GraphqlCredentials, context: RequestContext): Promise<Caller> {
    const { agents, authenticate } = this.#options;
    const bearer = bearerOnly(credentials);
    const token = tokenOf(bearer);
    const origin = this.#originOf(context);
    if (agentToken.test(token) && origin !== undefined) {
      const caller = await agents.authenticate(token, agentResource(origin));
      if (caller) return caller;
    }
    return asAgent(await authenticate(bearer));
  }

  #originOf({ origins }: RequestContext): string | undefined {
    return agentOrigin(this.#options.publicOrigin, origins);
  }

  /** RFC 9728 §5.1: says where programs find the sign-in. */
  #challenge(code: string, context: RequestContext): string {
    const origin = this.#originOf(context);
    const parts = [
      ...(code === "AUTHENTICATION_FAILED" ? ['error="invalid_token"'] : []),
      ...(origin === undefined ? [] : [`resource_metadata="${origin}${agentPaths.resource}"`]),
    ];
    return ["Bearer", parts.join(", ")].filter(Boolean).join(" ");
  }

  /** Returns the check whether the token of the caller is still valid. */
  #reauthentication(caller: Caller, credentials: GraphqlCredentials, context: RequestContext): () => Promise<void> {
    return async () => {
      const now = await this.#callerOf(credentials, context);
      if (subjectOf(now) !== subjectOf(caller))
        throw new AppError("AUTHENTICATION_FAILED", "the token is another caller's now");
    };
  }

  #join(response: ServerResponse, { caller, reauthenticate }: McpCall): () => void {
    const check = async () => await reauthenticate();
    return this.#options.connections.join({ caller, check, end: () => response.destroy() });
  }
}

/** As the package of OAuth makes them. Sessions of people may look the same. */
const agentToken = /^[\w-]{43}$/;

class McpCall extends InboundCall implements AgentCall {
  readonly context: RequestContext;
  readonly reauthenticate: () => MaybePromise<void>;

  constructor(caller: Caller, context: RequestContext, reauthenticate: () => MaybePromise<void>) {
    super(caller, context.requestId, context.traceparent);
    this.context = context;
    this.reauthenticate = reauthenticate;
  }
}

/** Returns the context with what a request of its own, without a connection, cannot find out. */
function contextOf(request: RequestHead, context: RequestContext): RequestContext {
  const { requestId, remoteAddress, traceparent, hasSpan, host, protocol } = context;
  return {
    requestId,
    remoteAddress,
    traceparent,
    hasSpan,
    host: host ?? request.header("host") ?? request.header(":authority"),
    protocol: protocol ?? (request.isEncrypted ? "https" : "http"),
  };
}

/**
 * Returns the credentials with the bearer token only: a cookie comes with every request of a browser, and where callers without credentials have
 * permissions, an agent must not get them. Throws AUTHENTICATION_REQUIRED without a token.
 */
function bearerOnly(credentials: GraphqlCredentials): GraphqlCredentials {
  const token = credentials.header("authorization");
  if (token === undefined || !/^bearer +\S/i.test(token))
    throw new AppError(
      "AUTHENTICATION_REQUIRED",
      "agents use a bearer token: that of a sign-in in the browser, the session of `appctl login`, or the token of a service account",
    );
  return { ...credentials, header: (name) => (name === "authorization" ? token : undefined), readBody: () => new Uint8Array() };
}

/** Throws AUTHENTICATION_REQUIRED for a caller that is no account, PERMISSION_DENIED for a pipeline, which is bound to apps. */
function asAgent(caller: Caller): Caller {
  if (pipelineOf(caller)) throw new AppError("PERMISSION_DENIED", "tokens of trusted pipelines are for REST, GraphQL and gRPC");
  if (caller.kind === "user" || caller.kind === "machine") return { ...caller, agent: caller.agent ?? {} };
  throw new AppError("AUTHENTICATION_REQUIRED", "only people and service accounts have agents");
}

function tokenOf({ header }: GraphqlCredentials): string {
  return (header("authorization") ?? "").replace(/^bearer +/i, "").trim();
}

/** Names the program of the caller, unless it is known already. */
function withClient(caller: Caller, said: string): Caller {
  const agent = agentOf(caller);
  if (agent?.client !== undefined || (caller.kind !== "user" && caller.kind !== "machine")) return caller;
  return { ...caller, agent: { ...agent, client: said } };
}

function isListen(body: unknown): boolean {
  return typeof body === "object" && body !== null && "method" in body && body.method === listenMethod;
}
