export { createMcpListener, type McpListener, type McpListenerOptions } from "./mcp-listener.ts";
