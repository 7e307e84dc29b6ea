import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppApi, type AppRoute, unlimitedRoute } from "@appserver/contracts/manifest";
import {
  type agentOf,
  type BatchedPermissions,
  type Caller,
  credentialAllows,
  newTraceparent,
  type RestRoute,
} from "@appserver/kernel";
import { AgentTools } from "./agent-tools.ts";
import type { AppToolSource, ServedApp } from "./app-tool-source.ts";
import { AppTools } from "./app-tools.ts";
import { OperationTool } from "./operation-tool.ts";
import { PlatformTools } from "./platform-tools.ts";
import type { AgentCall, ToolDefinition } from "./tool.ts";

/** The person holds everything, so that only what binds the agent counts. */
const permissions: BatchedPermissions = {
  allowed: (caller, permission, owner) => credentialAllows(caller, permission, owner),
  allowedEach: async (caller, each) => each.map(({ permission, owner }) => credentialAllows(caller, permission, owner)),
};

const uuid = "01a207a9-4200-700a-9f12-134197748461";

/** Two operations on an app, one on the platform, and two apps with the same routes. */
function scene() {
  const calls: string[] = [];
  const route = (operationId: string, args: readonly string[]): RestRoute => ({
    method: "POST",
    url: "/",
    schema: { params: { properties: Object.fromEntries(args.map((name) => [name, { type: "string" }])), required: args } },
    documentation: { operationId, summary: "", tag: "", responses: {} },
    handle: async ({ params }) => {
      calls.push(`${operationId} ${JSON.stringify(params)}`);
      return { status: 200, json: {} };
    },
  });
  const deps = { permissions, nameOf: async (id: string) => (id === uuid ? "com.example.mine" : undefined) };
  const operations = [
    new OperationTool(route("appLogs", ["id"]), { about: "Reads logs.", effect: "read", isListed: true }, undefined, deps),
    new OperationTool(route("restartApp", ["id"]), { about: "Restarts.", effect: "change", isListed: true }, undefined, deps),
    new OperationTool(route("appMessages", []), { about: "Lists messages.", effect: "read", isListed: true }, undefined, deps),
    new OperationTool(route("requests", []), { about: "Lists requests.", effect: "read", isListed: true }, undefined, deps),
  ];
  const requests = {
    call: async ({ method, target }) => {
      calls.push(`${method} ${target}`);
      return { status: 200, contentType: "text/plain", location: undefined, text: "done", length: 4, isCut: false };
    },
    check: async () => {},
  } as AppToolSource["requests"];
  const appOf = (name: string): ServedApp => {
    const items: AppRoute = { ...unlimitedRoute(name), pattern: "/items", methods: ["GET", "POST"], scopes: ["read"] };
    const open: AppRoute = { ...items, pattern: "/open", methods: ["GET"], isPublic: true };
    const api = { basePath: `/api/apps/${name}`, routes: [items, open], everything: items } as Partial<AppApi> as AppApi;
    return { name, displayName: name, api, revision: "1" };
  };
  const source = { nameKey: Buffer.alloc(32), requests, served: () => ["com.example.mine", "com.example.other"].map(appOf) };
  const tools = new AgentTools(new PlatformTools(operations, permissions), new AppTools(source, permissions));
  return { calls, tools };
}

function agent(bounds: NonNullable<ReturnType<typeof agentOf>>): AgentCall {
  const caller: Caller = { kind: "user", id: "alice", displayName: "Alice", agent: bounds };
  const context = { requestId: "r1", remoteAddress: "203.0.113.9", traceparent: newTraceparent() };
  return { caller, context, requestId: "r1", signal: new AbortController().signal, reauthenticate: () => {} };
}

const namesOf = (tools: readonly ToolDefinition[]) =>
  tools.map(({ name, title }) => title ?? name).filter((name) => !/^(search_tools|call_tool)$/.test(name));

test("an agent that only reads neither sees nor calls tools that change something", async () => {
  const { tools, calls } = scene();
  const reader = agent({ isReadOnly: true });
  assert.deepEqual(namesOf(await tools.list(reader.caller)), [
    "appLogs",
    "appMessages",
    "requests",
    "GET /items of the app com.example.mine",
    "GET /open of the app com.example.mine",
    "GET /items of the app com.example.other",
    "GET /open of the app com.example.other",
  ]);
  const all = await tools.list(agent({}).caller);
  const changes = all.filter(({ annotations, name }) => !annotations.readOnlyHint && name !== "call_tool");
  assert.equal(changes.length, 3);
  for (const { name } of changes) {
    const input = name === "restartApp" ? { id: "com.example.mine" } : {};
    await assert.rejects(tools.call(name, input, reader), { code: "PERMISSION_DENIED" }, name);
    await assert.rejects(tools.call("call_tool", { name, arguments: input }, reader), { code: "PERMISSION_DENIED" }, name);
  }
  assert.deepEqual(calls, []);
});

test("an agent that is bound to apps sees and calls only theirs, over verbs and routes", async () => {
  const { tools, calls } = scene();
  const bound = agent({ bounds: { apps: ["com.example.mine"] } });
  assert.deepEqual(namesOf(await tools.list(bound.caller)), [
    "appLogs",
    "restartApp",
    "GET /items of the app com.example.mine",
    "POST /items of the app com.example.mine",
    "GET /open of the app com.example.mine",
  ]);
  for (const id of ["com.example.mine", uuid]) await tools.call("appLogs", { id }, bound);
  const others = (await tools.list(agent({}).caller)).filter(({ title = "" }) => title.endsWith(".other"));
  assert.equal(others.length, 3);
  for (const { name } of others) await assert.rejects(tools.call(name, {}, bound), { code: "PERMISSION_DENIED" }, name);
  for (const id of ["com.example.other", "01a207a9-4200-700a-9f12-134197748462"])
    await assert.rejects(tools.call("appLogs", { id }, bound), { code: "PERMISSION_DENIED" });
  for (const name of ["requests", "appMessages"])
    await assert.rejects(tools.call(name, {}, bound), { code: "PERMISSION_DENIED" }, name);
  const found = JSON.stringify(await tools.call("search_tools", { query: "items open logs" }, bound));
  assert.ok(found.includes("com.example.mine") && !found.includes("com.example.other"));
  assert.deepEqual(calls, [`appLogs {"id":"com.example.mine"}`, `appLogs {"id":"${uuid}"}`]);
});

test("a search has room for both kinds of tools", async () => {
  const { tools } = scene();
  const found = JSON.stringify(
    await tools.call("search_tools", { query: "get items open example logs requests restarts" }, agent({})),
  );
  for (const name of ["appLogs", "requests", "restartApp", "app__com_example_mine__"]) assert.ok(found.includes(name), name);
});
