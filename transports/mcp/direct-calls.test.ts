import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { PlatformTool } from "@appserver/contracts/operations";
import {
  AppError,
  type BatchedPermissions,
  newTraceparent,
  type RestRoute,
  SystemClock,
  silentLogger,
} from "@appserver/kernel";
import { callBy, type HttpAnswer, send } from "@appserver/testing/kit";
import { AgentTools } from "./agent-tools.ts";
import type { AppToolSource } from "./app-tool-source.ts";
import { AppTools } from "./app-tools.ts";
import { DirectCalls } from "./direct-calls.ts";
import { createMcpServer } from "./mcp-server.ts";
import { OperationTool } from "./operation-tool.ts";
import { createPackageServer, type McpServer } from "./package-server.ts";
import { PlatformTools } from "./platform-tools.ts";
import { RecordedCalls } from "./recorded-calls.ts";

type Headers = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

interface Message {
  readonly about: string;
  readonly headers: Headers;
  readonly body: unknown;
}

const alice = { kind: "user", id: "alice", displayName: "Alice" } as const;
const about: PlatformTool = { about: "Does a thing.", effect: "read" };

const permissions: BatchedPermissions = { allowed: () => true, allowedEach: async (_, required) => required.map(() => true) };
const deps = { permissions, nameOf: async () => undefined };
const noApps = { nameKey: Buffer.alloc(32), served: () => [], requests: {} as AppToolSource["requests"] };

function toolOf(operationId: string, handle: RestRoute["handle"]): OperationTool {
  const schema = { query: { type: "object", properties: { first: { type: "integer" } } } };
  const documentation = { operationId, summary: "Does a thing", tag: "things", responses: {} };
  return new OperationTool({ method: "GET", url: "/api/v2/things", schema, documentation, handle }, about, undefined, deps);
}

const platform = new PlatformTools(
  [
    toolOf("works", async ({ query }) => ({ status: 200, json: { query, text: 'a \u2028 "text" of an app' } })),
    toolOf("refuses", async () => {
      throw new AppError("NOT_FOUND", "there is no thing", { details: { thing: "x" } });
    }),
    toolOf("crashes", async () => {
      throw new TypeError("secret of the platform");
    }),
  ],
  permissions,
);
const tools = new AgentTools(platform, new AppTools(noApps, permissions));

const names = {
  version: "io.modelcontextprotocol/protocolVersion",
  info: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;
const newer = "2026-07-28";
const older = "2025-11-25";

/** Returns a call of a tool that is correct, in a revision. */
function correct(revision: string, name: string, input?: unknown): Message {
  const isNewer = revision === newer;
  const meta = {
    [names.version]: revision,
    [names.info]: { name: "test", version: "1" },
    [names.capabilities]: { roots: { listChanged: true }, elicitation: {} },
  };
  const params = { name, ...(input === undefined ? {} : { arguments: input }), ...(isNewer ? { _meta: meta } : {}) };
  return {
    about: `${revision} ${name}`,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": revision,
      ...(isNewer ? { "mcp-method": "tools/call", "mcp-name": name } : {}),
    },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}

const plain = [newer, older].flatMap((revision) => [
  correct(revision, "works", { first: 3 }),
  correct(revision, "works"),
  correct(revision, "works", { second: 3 }),
  correct(revision, "refuses", {}),
  correct(revision, "crashes", {}),
  correct(revision, "search_tools", { query: "thing" }),
  correct(revision, "search_tools", {}),
  correct(revision, "call_tool", { name: "works", arguments: { first: 1 } }),
  correct(revision, "unknown", {}),
]);

const absent = Symbol("absent");
const values: readonly unknown[] = [
  absent,
  null,
  7,
  -1.5,
  1e300,
  "",
  "x",
  "tools/list",
  [],
  {},
  { first: 1 },
  true,
  newer,
  older,
];
const paths: readonly (readonly string[])[] = [
  ["jsonrpc"],
  ["id"],
  ["method"],
  ["params"],
  ["other"],
  ["params", "name"],
  ["params", "arguments"],
  ["params", "task"],
  ["params", "other"],
  ["params", "_meta"],
  ["params", "_meta", "progressToken"],
  ["params", "_meta", "io.modelcontextprotocol/related-task"],
  ["params", "_meta", "io.modelcontextprotocol/logLevel"],
  ["params", "_meta", "other"],
  ["params", "_meta", names.version],
  ["params", "_meta", names.info],
  ["params", "_meta", names.info, "name"],
  ["params", "_meta", names.info, "title"],
  ["params", "_meta", names.capabilities],
  ["params", "_meta", names.capabilities, "sampling"],
];
const headerValues: readonly (readonly [string, readonly string[]])[] = [
  ["accept", ["", "*/*", "application/json", "text/event-stream", "text/event-stream;q=1,application/json;q=0.1"]],
  ["content-type", ["", "text/plain", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json, text/plain"]],
  ["mcp-protocol-version", ["", newer, older, "2025-06-18", "2024-11-05", "2099-01-01", "x", ` ${newer} `]],
  ["mcp-method", ["", "tools/call", "tools/list", "TOOLS/CALL", " tools/call "]],
  ["mcp-name", ["", "works", "refuses", "Works", "=?base64?d29ya3M=?=", "=?base64?x?=", "works, works"]],
  ["mcp-session-id", ["", "x"]],
];

/** Returns the correct messages with one place changed, and lists of messages. */
function changed(): readonly Message[] {
  return [newer, older].flatMap((revision) => {
    const message = correct(revision, "works", { first: 3 });
    const { headers, body } = message;
    const bodies = paths.flatMap((path) =>
      values.map((value) => ({ about: `${path.join(".")} = ${textOf(value)}`, headers, body: replaced(body, path, value) })),
    );
    const heads = headerValues.flatMap(([name, others]) => [
      { about: `without ${name}`, headers: without(headers, name), body },
      ...others.map((value) => ({ about: `${name}: ${value}`, headers: { ...headers, [name]: value }, body })),
    ]);
    const versions = ["2099-01-01", "2025-06-18", older, newer].map((version) => ({
      about: `${version} in header and message`,
      headers: { ...headers, "mcp-protocol-version": version },
      body: replaced(body, ["params", "_meta", names.version], version),
    }));
    const lists = [[body], [body, body], []].map((list) => ({ about: `${list.length} in a list`, headers, body: list }));
    return [...bodies, ...heads, ...versions, ...lists, { about: "no message", headers, body: "x" }].map((each) => ({
      ...each,
      about: `${revision}: ${each.about}`,
    }));
  });
}

function textOf(value: unknown): string {
  return value === absent ? "absent" : JSON.stringify(value);
}

function replaced(body: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const object = (typeof body === "object" && body !== null ? body : {}) as Json;
  if (rest.length > 0) return { ...object, [name]: replaced(object[name], rest, value) };
  return value === absent ? without(object, name) : { ...object, [name]: value };
}

function without<Value>(object: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

const context = { requestId: "r1", remoteAddress: "203.0.113.9", traceparent: newTraceparent() };

/** Listens with a server of the protocol. */
async function listening(mcp: McpServer): Promise<{ readonly server: Server; readonly url: string }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    await mcp.handle(request, response, { call: { ...callBy(alice), context, reauthenticate: () => {} }, body });
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Returns what a client reads of an answer: its status and its message, in a stream or not. The name of the fence is new in each. */
function meaningOf({ status, headers, text }: HttpAnswer): readonly unknown[] {
  const isStream = headers["content-type"]?.startsWith("text/event-stream");
  const lines = isStream ? text.split("\n").filter((line) => line.startsWith("data: ")) : [];
  const messages = isStream ? lines.map((line) => line.slice("data: ".length)) : [text];
  return [
    status,
    ...messages.map((message) => (message === "" ? "" : JSON.parse(message.replaceAll(/data-[0-9a-f]{16}/g, "data")))),
  ];
}

describe("calls that the package does not handle", () => {
  const records = { clock: new SystemClock(), logger: silentLogger, audit: { add: () => {} }, appNameOf: () => undefined };
  const options = { ...records, version: "1.0.0" };
  const calls = new RecordedCalls(tools, records);
  const direct = new DirectCalls("1.0.0", calls);
  const isDirect = ({ headers, body }: Message): boolean =>
    direct.read(headers, JSON.parse(JSON.stringify(body))) !== undefined;
  let theirs: Awaited<ReturnType<typeof listening>>;
  let ours: Awaited<ReturnType<typeof listening>>;
  before(async () => {
    theirs = await listening(createPackageServer(options, tools, calls));
    ours = await listening(createMcpServer(options, tools));
  });
  after(() => {
    theirs?.server.close();
    ours?.server.close();
  });
  const assertEqual = async ({ about: what, headers, body }: Message): Promise<void> => {
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const [our, their] = [await send(ours.url, "/mcp", request), await send(theirs.url, "/mcp", request)];
    assert.deepEqual(meaningOf(our), meaningOf(their), what);
  };

  test("are all plain calls of tools, and have the answers of the package, also if the tool fails", async () => {
    for (const message of plain) {
      assert.ok(isDirect(message), message.about);
      await assertEqual(message);
    }
  });

  test("are only those that the package would accept, with the same answers, whatever is changed in a message", async () => {
    const messages = changed();
    const direct = messages.filter(isDirect);
    assert.ok(direct.length > 20 && direct.length < messages.length / 4, `${direct.length} of ${messages.length}`);
    for (const message of messages) await assertEqual(message);
  });
});
