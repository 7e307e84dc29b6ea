/** The protocol. It is loaded at the first request: the official package takes a quarter of a second of processor time. */

import type { AgentTools } from "./agent-tools.ts";
import { DirectCalls } from "./direct-calls.ts";
import { createPackageServer, type McpServer, type PackageServerOptions } from "./package-server.ts";
import { type CallRecords, RecordedCalls } from "./recorded-calls.ts";

export interface McpServerOptions extends PackageServerOptions, CallRecords {}

/** Returns a server that handles plain calls of tools itself, and has the package handle all other messages (ADR 0124). */
export function createMcpServer(options: McpServerOptions, tools: AgentTools): McpServer {
  const calls = new RecordedCalls(tools, options);
  const server = createPackageServer(options, tools, calls);
  const direct = new DirectCalls(options.version, calls);
  return {
    ...server,
    handle: async (request, response, message) => {
      const call = direct.read(request.headers, message.body);
      await (call ? direct.handle(call, response, message.call) : server.handle(request, response, message));
    },
  };
}
