export type { AppToolSource, ServedApp, ToolOperation } from "./app-tool-source.ts";
export { createMcpListener, type McpListener, type McpListenerOptions } from "./mcp-listener.ts";
