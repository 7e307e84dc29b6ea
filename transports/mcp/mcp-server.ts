/** The protocol, by its official package. It is loaded at the first request: it takes a quarter of a second of processor time. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorCatalogue } from "@appserver/contracts/errors";
import { actorOf, type Clock, isAppError, type Logger, traceIdOf } from "@appserver/kernel";
import type { RequestLog } from "@appserver/kernel/ports";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
} from "@modelcontextprotocol/server";
import type { AgentTools } from "./agent-tools.ts";
import { type DocsFolder, listDocs, readResource, resourceTemplates } from "./resources.ts";
import type { AgentCall } from "./tool.ts";
import { errorResult, instructions, type ToolResult } from "./tool-results.ts";

interface ReceivedMessage {
  /** Its caller is authenticated. */
  readonly call: AgentCall;
  readonly body: unknown;
}

export interface McpServer {
  handle(request: IncomingMessage, response: ServerResponse, message: ReceivedMessage): Promise<void>;
  toolsChanged(): void;
  close(): Promise<void>;
}

export interface McpServerOptions {
  readonly version: string;
  readonly docs?: DocsFolder | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Gets each call of a tool, for traces. */
  readonly requests?: RequestLog | undefined;
}

export function createMcpServer(options: McpServerOptions, tools: AgentTools): McpServer {
  const { version, docs, logger } = options;
  const serverOf = (call: AgentCall): Server => {
    const server = new Server(
      { name: "appserver", title: "Appserver", version },
      { capabilities: { tools: { listChanged: true }, resources: {} }, instructions },
    );
    server.setRequestHandler("tools/list", async () => ({ tools: (await tools.list(call.caller)) as unknown as Tool[] }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const { content, isError } = await resultOf(tools, params.name, params.arguments ?? {}, { ...options, call });
      return { content: [...content], ...(isError ? { isError } : {}) };
    });
    server.setRequestHandler("resources/list", async () => ({ resources: [...(await listDocs(docs))] }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...resourceTemplates] }));
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      try {
        return { contents: [await readResource(uri, { tools, docs, call })] };
      } catch (error) {
        if (isAppError(error, "NOT_FOUND")) throw new ResourceNotFoundError(uri);
        throw isAppError(error)
          ? new ProtocolError(ProtocolErrorCode.InvalidRequest, `${error.code}: ${error.message}`)
          : error;
      }
    });
    return server;
  };
  const handler = createMcpHandler(({ authInfo }) => serverOf(callOf(authInfo)), {
    onerror: (error) => logger.debug({ err: error }, "mcp: a message was refused"),
  });
  const handle = toNodeHandler(handler, { onerror: (error) => logger.error({ err: error }, "mcp: a request failed") });
  return {
    handle: (request, response, { call, body }) =>
      handle(Object.assign(request, { auth: authOf(call) }) as NodeIncomingMessageLike, response, body),
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}

/** The package passes it on, and reads nothing of it. */
function authOf(call: AgentCall) {
  return { token: "", clientId: "", scopes: [], extra: { call } };
}

function callOf(auth: { readonly extra?: Record<string, unknown> } | undefined): AgentCall {
  const call = auth?.extra?.["call"];
  if (!call) throw new Error("a message has no call");
  return call as AgentCall;
}

interface ToolCallContext extends Pick<McpServerOptions, "clock" | "logger" | "requests"> {
  readonly call: AgentCall;
}

/** Errors of use cases are for the model, which can do something else. */
async function resultOf(
  tools: AgentTools,
  name: string,
  input: Readonly<Record<string, unknown>>,
  context: ToolCallContext,
): Promise<ToolResult> {
  const { clock, logger, call } = context;
  const started = clock.monotonic();
  let status = 200;
  try {
    return await tools.call(name, input, call);
  } catch (error) {
    status = isAppError(error) ? errorCatalogue[error.code].http : 500;
    if (isAppError(error)) return errorResult(error.code, error.message, error.details);
    logger.error({ err: error, requestId: call.requestId }, "mcp: a tool failed");
    throw new ProtocolError(ProtocolErrorCode.InternalError, `the tool failed; the log has the request ${call.requestId}`);
  } finally {
    record(context, { tool: tools.nameOf(name, input), status, durationMs: clock.monotonic() - started });
  }
}

function record(
  { requests, call }: ToolCallContext,
  { tool, status, durationMs }: { readonly tool: string; readonly status: number; readonly durationMs: number },
): void {
  requests?.add({
    requestId: call.requestId,
    traceId: call.traceparent === undefined ? "" : traceIdOf(call.traceparent),
    method: "POST",
    pattern: `/mcp ${tool}`,
    status,
    app: undefined,
    caller: actorOf(call.caller),
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    upstreamMs: undefined,
    reasonId: undefined,
  });
}
