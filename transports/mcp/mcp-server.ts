/** The protocol, by its official package. It is loaded at the first request: it takes a quarter of a second of processor time. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Call, isAppError, type Logger } from "@appserver/kernel";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
} from "@modelcontextprotocol/server";
import type { PlatformTools } from "./platform-tools.ts";
import { type CallRecords, RecordedCalls } from "./recorded-calls.ts";
import { type DocsFolder, listDocs, readResource, resourceTemplates } from "./resources.ts";
import { errorResult, instructions, type ToolResult } from "./tool-results.ts";

interface ReceivedMessage {
  /** Its caller is authenticated. */
  readonly call: Call;
  readonly body: unknown;
}

export interface McpServer {
  handle(request: IncomingMessage, response: ServerResponse, message: ReceivedMessage): Promise<void>;
  toolsChanged(): void;
  close(): Promise<void>;
}

export interface McpServerOptions extends CallRecords {
  readonly version: string;
  readonly docs?: DocsFolder | undefined;
  readonly logger: Logger;
}

export function createMcpServer(options: McpServerOptions, tools: PlatformTools): McpServer {
  const { version, docs, logger } = options;
  const calls = new RecordedCalls(tools, options);
  const serverOf = (call: Call): Server => {
    const server = new Server(
      { name: "appserver", title: "Appserver", version },
      { capabilities: { tools: { listChanged: true }, resources: {} }, instructions },
    );
    server.setRequestHandler("tools/list", async () => ({ tools: (await tools.list(call.caller)) as unknown as Tool[] }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const { content, isError } = await resultOf(calls, params.name, params.arguments ?? {}, { call, logger });
      return { content: [...content], ...(isError ? { isError } : {}) };
    });
    server.setRequestHandler("resources/list", async () => ({ resources: [...(await listDocs(docs))] }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...resourceTemplates] }));
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      try {
        return { contents: [await readResource(uri, { calls, docs, call })] };
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
function authOf(call: Call) {
  return { token: "", clientId: "", scopes: [], extra: { call } };
}

function callOf(auth: { readonly extra?: Record<string, unknown> } | undefined): Call {
  const call = auth?.extra?.["call"];
  if (!call) throw new Error("a message has no call");
  return call as Call;
}

/** Errors of use cases are for the model, which can do something else. */
async function resultOf(
  calls: RecordedCalls,
  name: string,
  input: Readonly<Record<string, unknown>>,
  { call, logger }: { readonly call: Call; readonly logger: Logger },
): Promise<ToolResult> {
  try {
    return await calls.call(name, input, call);
  } catch (error) {
    if (isAppError(error)) return errorResult(error.code, error.message, error.details);
    logger.error({ err: error, requestId: call.requestId }, "mcp: a tool failed");
    throw new ProtocolError(ProtocolErrorCode.InternalError, `the tool failed; the log has the request ${call.requestId}`);
  }
}
