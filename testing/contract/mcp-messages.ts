/** A message of the Model Context Protocol, written by hand. */

export type Revision = "2025-11-25" | "2026-07-28";

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Returns a request of a program of this name. The older revision has the name in the `User-Agent` only. */
export function messageOf(
  revision: Revision,
  client: string,
  params: Readonly<Record<string, unknown>>,
  method = "tools/call",
): Message {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
  };
  const request = { jsonrpc: "2.0", id: 1, method };
  if (revision === "2025-11-25")
    return { headers: { ...headers, "user-agent": `${client}/1.0 (linux)` }, body: { ...request, params } };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: client, version: "1.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = params["name"] ?? params["uri"];
  return {
    headers: { ...headers, "mcp-method": method, ...(typeof name === "string" ? { "mcp-name": name } : {}) },
    body: { ...request, params: { ...params, _meta: meta } },
  };
}
