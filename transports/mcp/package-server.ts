import type { IncomingMessage, ServerResponse } from "node:http";
import { isAppError, type Logger } from "@appserver/kernel";
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
import type { RecordedCalls } from "./recorded-calls.ts";
import { type DocsFolder, listDocs, readResource, resourceTemplates } from "./resources.ts";
import { serverInfoOf } from "./server-info.ts";
import type { AgentCall } from "./tool.ts";
import { instructions } from "./tool-results.ts";

interface ReceivedMessage {
  /** Its caller is authenticated. */
  readonly call: AgentCall;
  /** Parsed JSON. */
  readonly body: unknown;
}

export interface McpServer {
  handle(request: IncomingMessage, response: ServerResponse, message: ReceivedMessage): Promise<void>;
  toolsChanged(): void;
  close(): Promise<void>;
}

export interface PackageServerOptions {
  readonly version: string;
  readonly docs?: DocsFolder | undefined;
  readonly logger: Logger;
}

/** Returns a server of the official package, which creates a server object for each request. */
export function createPackageServer(
  { version, docs, logger }: PackageServerOptions,
  tools: AgentTools,
  calls: RecordedCalls,
): McpServer {
  const serverOf = (call: AgentCall): Server => {
    const server = new Server(serverInfoOf(version), {
      capabilities: { tools: { listChanged: true }, resources: {} },
      instructions,
    });
    server.setRequestHandler("tools/list", async () => ({ tools: (await tools.list(call.caller)) as unknown as Tool[] }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const { content, isError } = await calls.answer(params.name, params.arguments ?? {}, call);
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
function authOf(call: AgentCall) {
  return { token: "", clientId: "", scopes: [], extra: { call } };
}

function callOf(auth: { readonly extra?: Record<string, unknown> } | undefined): AgentCall {
  const call = auth?.extra?.["call"];
  if (!call) throw new Error("a message has no call");
  return call as AgentCall;
}
