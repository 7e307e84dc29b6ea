import { Readable } from "node:stream";
import { type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { GlobalOptions } from "../global-options.ts";
import { send } from "../http.ts";
import { UsageError } from "../usage-error.ts";

/** The error of JSON-RPC for a message that did not reach the platform. */
const internalError = -32_603;

/**
 * Passes messages of the Model Context Protocol between standard input and output and `/mcp` of the platform, with the token of the options,
 * until the input ends. Throws {@link UsageError} without a token.
 */
export async function bridgeMcp(options: GlobalOptions): Promise<void> {
  if (options.token === undefined)
    throw new UsageError(
      "appctl mcp acts with a session: run `appctl login`, or set APPSERVER_TOKEN to the token of a service account",
    );
  const near = new StdioServerTransport();
  const far = new StreamableHTTPClientTransport(new URL("/mcp", options.http), { fetch: fetchOf(options) });
  const ended = new Promise<void>((resolve) => {
    near.onclose = resolve;
    process.stdin.once("end", resolve);
  });
  near.onmessage = (message) =>
    void far.send(message).catch((error: Error) => {
      if ("id" in message && "method" in message) void near.send(failed(message.id, error));
    });
  far.onmessage = (message) => {
    const version = versionOf(message);
    if (version !== undefined) far.setProtocolVersion(version);
    void near.send(message);
  };
  await far.start();
  await near.start();
  await ended;
  await far.close();
}

function failed(id: string | number, { message }: Error): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: internalError, message } };
}

/** Returns the revision on which both sides have agreed, if the message is the answer that says so. */
function versionOf(message: JSONRPCMessage): string | undefined {
  const result = "result" in message ? (message.result as Readonly<Record<string, unknown>>) : {};
  return typeof result["protocolVersion"] === "string" ? result["protocolVersion"] : undefined;
}

/** Requests of the protocol go as those of all commands: with the session, and the certificates of the context. */
function fetchOf(options: GlobalOptions) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const { accept = "*/*", ...others } = headers;
    const response = await send(options, {
      path: new URL(url).pathname,
      method: init.method ?? "GET",
      accept,
      headers: others,
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      ...(init.signal ? { signal: init.signal } : {}),
    });
    const status = response.statusCode ?? 502;
    const body = status === 202 || status === 204 ? null : (Readable.toWeb(response) as ReadableStream);
    if (body === null) response.resume();
    return new Response(body, {
      status,
      headers: Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values.join(", ")]),
    });
  };
}
