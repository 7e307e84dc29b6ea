import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { approvePermissions, triggerHook } from "@appserver/sdk";
import {
  errorOf,
  eventually,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";
import { dataOf, purgeApp } from "./commands.ts";
import { type OpenEventStream, openEventStream, readEvents, type ShownEvent } from "./event-stream.ts";

const source = uniqueName("com.example.announcing");
const app = uniqueName("com.example.failing");
const hookName = `${source}.created`;
const shownTypes = ["PERMISSION_APPROVED", "HOOK_DEAD_LETTERED", "CIRCUIT_OPENED", "CIRCUIT_CLOSED"];

describe("system events about approvals, dead letters and circuits", () => {
  let platform: PlatformUnderTest;
  let live: OpenEventStream;
  let received: Promise<readonly ShownEvent[]>;
  let isBroken = false;
  const backend = createServer((request, response) => {
    request.resume();
    // A hook that gets 410 is dead at once. A failure of the app's own path counts for its circuit breaker.
    const status = request.method === "POST" ? 410 : request.url === "/base/x" && isBroken ? 503 : 200;
    request.once("end", () => response.writeHead(status).end());
  });

  before(async () => {
    await once(backend.listen(0, "127.0.0.1"), "listening");
    platform = await startPlatform();
    const api = {
      base_path: "/",
      upstream_base_url: `http://127.0.0.1:${(backend.address() as AddressInfo).port}/base`,
      routes: [{ pattern: "/**", methods: ["GET"], is_public: true }],
    };
    await platform.register(await testApp({ name: source, web_app: { api } }));
    await platform.client().marketplace.installApp({ name: source });
    live = await openEventStream(platform, app);
    received = readEvents(
      live,
      ({ type }) => shownTypes.includes(type),
      (found) => shownTypes.every((type) => found.some((event) => event.type === type)),
    );
    received.catch(() => {});
    const hooks = [{ hook_name: hookName, path: "/hooks" }];
    const required_permissions = [{ scope: "hook:subscribe", resource_type: source, reason: "Gets its hooks." }];
    await platform.register(await testApp({ name: app, hooks, web_app: { api }, required_permissions }));
  });
  after(async () => {
    live?.close();
    for (const name of [app, source]) await purgeApp(platform, name);
    backend.closeAllConnections();
    backend.close();
    await platform?.stop();
  });

  const call = () => send(platform.httpUrl, `/api/apps/${app}/x`);
  const listed = async (type: string): Promise<readonly ShownEvent[]> => {
    const headers = platform.administrator;
    const page = jsonOf(await send(platform.httpUrl, `/api/v2/events?app=${app}&type=${type}`, { headers }));
    return (page as { readonly items: readonly ShownEvent[] }).items;
  };
  const untilListed = async (type: string, meanwhile = async (): Promise<void> => {}): Promise<ShownEvent> => {
    const look = async () => {
      await meanwhile();
      return (await listed(type))[0];
    };
    const found = await eventually(look, (event) => event !== undefined, { timeoutMs: 90_000, what: `${type} is listed` });
    return found ?? assert.fail();
  };

  test("an approval is listed with its scopes and their owners", async () => {
    await approvePermissions(platform.client(), app);
    const { severity, appName, message, data } = await untilListed("PERMISSION_APPROVED");
    assert.deepEqual([severity, appName, data], ["INFO", app, { scopes: [{ scope: "hook:subscribe", owner: source }] }]);
    assert.equal(message, `permissions of ${app} were approved: hook:subscribe of ${source}`);
  });

  test("a dead delivery is listed with its subscriber, without the hook's data", async () => {
    await platform.client().marketplace.installApp({ name: app });
    await untilRouted(platform.httpUrl, app, "/x");
    const trigger = async () => (await triggerHook(platform.client(), hookName, { text: "private" })).eventId;
    // Before the server has read the app's subscription, a hook has no delivery.
    let last = "";
    const shown = await untilListed("HOOK_DEAD_LETTERED", async () => {
      last ||= await trigger();
      const query = `{ hookDeliveries(appName: "${app}") { totalCount } }`;
      const { hookDeliveries } = await dataOf<Record<"hookDeliveries", { readonly totalCount: number }>>(platform, query);
      if (hookDeliveries.totalCount === 0) last = "";
    });
    const { severity, appName, message, data } = shown;
    assert.deepEqual([severity, appName], ["ERROR", app]);
    assert.match(message, new RegExp(`^a delivery of the hook ${hookName} to ${app} was given up: .*410`));
    const { deliveryId, error, ...rest } = data;
    assert.deepEqual(rest, { hookId: last, hookName, sourceApp: source, attempts: 1 });
    assert.deepEqual([typeof deliveryId, (error as { readonly code: string }).code], ["string", "GONE"]);
  });

  test("a circuit that opens is listed, and so is the one that closes when the backend responds again", async () => {
    isBroken = true;
    const refused = await eventually(call, ({ headers }) => headers["retry-after"] !== undefined, {
      what: "the circuit opens",
    });
    assert.equal(errorOf(refused).details["reason"], "circuit_open");
    const opened = await untilListed("CIRCUIT_OPENED");
    assert.deepEqual([opened.severity, opened.appName], ["WARNING", app]);
    assert.equal(opened.message, `requests to ${app} are refused for a while: 5 failures in a row`);
    assert.ok(Number(opened.data["failures"]) > 0, JSON.stringify(opened.data));
    assert.deepEqual(await listed("CIRCUIT_CLOSED"), []);
    isBroken = false;
    // After 30 s one request passes as a probe.
    const closed = await untilListed("CIRCUIT_CLOSED", async () => void (await call()));
    assert.deepEqual([closed.severity, closed.message], ["INFO", `requests to ${app} are forwarded again`]);
    assert.equal(typeof closed.data["replica"], "string");
    assert.equal((await call()).status, 200);
  });

  test("each of them reaches the streams of callers with event:view, and GraphQL lists them", async () => {
    const streamed = await received;
    const query = `query ($types: [SystemEventType!], $app: String) {
      systemEvents(types: $types, appName: $app) { edges { node { id type } } } }`;
    type Listed = Record<"systemEvents", { readonly edges: readonly { readonly node: ShownEvent }[] }>;
    const { systemEvents } = await dataOf<Listed>(platform, query, { types: shownTypes, app });
    const ids = new Set(systemEvents.edges.map(({ node }) => node.id));
    for (const { id, type } of streamed) assert.ok(ids.has(id), `${type} is streamed and not listed`);
    const headers = { cookie: await platform.login("bob") };
    assert.equal((await send(platform.httpUrl, `/api/v2/events?app=${app}`, { headers })).status, 403);
  });
});
