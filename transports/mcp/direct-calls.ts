import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import { isRecord } from "./is-record.ts";
import type { RecordedCalls } from "./recorded-calls.ts";
import { serverInfoOf } from "./server-info.ts";
import type { AgentCall } from "./tool.ts";

/** A message that is only the call of a tool. */
export interface DirectCall {
  readonly revision: "2025-11-25" | "2026-07-28";
  readonly id: string | number;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const method = "tools/call";
const paramNames: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const progressToken = "progressToken";
const metaNames: Readonly<Record<DirectCall["revision"], ReadonlySet<string>>> = {
  "2025-11-25": new Set([progressToken]),
  "2026-07-28": new Set([progressToken, PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]),
};

/**
 * Handles the calls of tools, for which the package would create a server, a request and a response each (ADR 0124). A message is handled here if
 * the package classifies it as a request of a known revision, and nothing in it needs more than the tool. The answer is JSON in both revisions.
 */
export class DirectCalls {
  readonly #calls: RecordedCalls;
  readonly #serverInfo: object;

  constructor(version: string, calls: RecordedCalls) {
    this.#calls = calls;
    this.#serverInfo = { [SERVER_INFO_META_KEY]: serverInfoOf(version) };
  }

  /** Returns the call that a message is, or undefined if the package has to handle it, for example to refuse it. */
  read(headers: IncomingHttpHeaders, body: unknown): DirectCall | undefined {
    if (!isRecord(body) || body["method"] !== method || !acceptsBoth(headers)) return undefined;
    const { id, params } = body;
    if ((typeof id !== "string" && typeof id !== "number") || !isRecord(params)) return undefined;
    const { name, arguments: input = {}, _meta: meta = {} } = params;
    if (typeof name !== "string" || !isRecord(input) || !isRecord(meta) || !hasOnly(params, paramNames)) return undefined;
    const revision = revisionOf(headers, body, name);
    return revision && hasOnly(meta, metaNames[revision]) ? { revision, id, name, input } : undefined;
  }

  async handle({ revision, id, name, input }: DirectCall, response: ServerResponse, call: AgentCall): Promise<void> {
    const text = JSON.stringify({ ...(await this.#outcomeOf(revision, name, input, call)), jsonrpc: "2.0", id });
    if (response.destroyed) return;
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  }

  async #outcomeOf(
    revision: DirectCall["revision"],
    name: string,
    input: DirectCall["input"],
    call: AgentCall,
  ): Promise<object> {
    try {
      const result = await this.#calls.answer(name, input, call);
      return { result: revision === "2025-11-25" ? result : { ...result, resultType: "complete", _meta: this.#serverInfo } };
    } catch (error) {
      return { error: { code: ProtocolErrorCode.InternalError, message: error instanceof Error ? error.message : "" } };
    }
  }
}

/** As the protocol requires of clients. */
function acceptsBoth({ accept = "", "content-type": type }: IncomingHttpHeaders): boolean {
  return accept.includes("application/json") && accept.includes("text/event-stream") && isJsonContentType(type ?? null);
}

/** Returns the revision if the headers and the message agree on it, and on what the newer one says in headers. */
function revisionOf(headers: IncomingHttpHeaders, body: unknown, name: string): DirectCall["revision"] | undefined {
  const version = oneOf(headers["mcp-protocol-version"]);
  const [methodHeader, nameHeader] = [oneOf(headers["mcp-method"]), oneOf(headers["mcp-name"])];
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(methodHeader === undefined ? {} : { mcpMethodHeader: methodHeader }),
  });
  if (route.kind === "legacy") return route.reason === "no-claim" && version === "2025-11-25" ? version : undefined;
  if (route.kind !== "modern" || version !== "2026-07-28" || route.classification.revision !== version) return undefined;
  return methodHeader === method && nameHeader === name && plainName.test(name) ? version : undefined;
}

/** Other names may be encoded in the header. */
const plainName = /^[\w-]+$/;

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header;
}

function hasOnly(value: object, names: ReadonlySet<string>): boolean {
  return Object.keys(value).every((name) => names.has(name));
}
