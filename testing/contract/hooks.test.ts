import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import {
  createHookSubscriber,
  createPlatformClient,
  type Hook,
  type HookSubscriber,
  type PlatformClient,
  triggerHook,
  verifyPush,
} from "@appserver/sdk";
import {
  approvePermissions,
  eventually,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { command } from "./commands.ts";

const source = uniqueName("com.example.source");
const created = `${source}.created`;
const guarding = uniqueName("com.example.guard");
const appctl = join(import.meta.dirname, "../../bin/appctl.mjs");

interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

describe("hooks", () => {
  let platform: PlatformUnderTest;
  let client: PlatformClient;
  const subscribers: HookSubscriber[] = [];
  const posted: Posted[] = [];
  let answer = 200;
  const backend = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      if (request.method === "POST")
        posted.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(request.method === "POST" ? answer : 200).end();
    });
  });

  before(async () => {
    await once(backend.listen(0, "127.0.0.1"), "listening");
    platform = await startPlatform();
    client = platform.client();
  });
  after(async () => {
    for (const subscriber of subscribers) await subscriber.stop(0);
    // The subscriber receives app.on_create before every installation, and other tests may use the same platform.
    await client.marketplace.uninstallApp({ name: guarding }).catch(() => {});
    backend.closeAllConnections();
    backend.close();
    await platform?.stop();
  });

  /** Registers and installs an app whose backend runs in the test. */
  const install = async (name: string, hooks: readonly object[] = []): Promise<TestApp> => {
    const { port } = backend.address() as AddressInfo;
    const api = { base_path: "/", upstream_base_url: `http://127.0.0.1:${port}/base` };
    const required_permissions = [
      { scope: "hook:subscribe", resource_type: source, reason: "Gets its hooks." },
      ...(name === guarding ? [{ scope: "app:veto", resource_type: "app", reason: "Refuses apps." }] : []),
    ];
    const app = await testApp({ name, hooks, web_app: { api }, required_permissions });
    await platform.register(app);
    await approvePermissions(platform, name);
    await client.marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name);
    return app;
  };
  const clientOf = (app: TestApp): PlatformClient =>
    createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name: app.manifest.name, privateKey: app.keys.privateKey } });
  /** Resolves when the stream is open: hooks before that are posted to the app, or have no subscriber. */
  const subscribe = async (app: TestApp, hookName: string, handler: (hook: Hook) => void): Promise<void> => {
    const { name } = app.manifest;
    const subscriber = createHookSubscriber({ grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } });
    subscribers.push(subscriber);
    subscriber.onHook(hookName, handler).start();
    const open = `appserver_hook_open_streams{app="${name}"`;
    const lines = async () => (await send(platform.httpUrl, "/metrics")).text.split("\n");
    await eventually(async () => (await lines()).some((line) => line.startsWith(open) && / [1-9]\d*$/.test(line)));
  };
  const deliveriesTo = async (appName: string) => {
    const query = `query ($appName: String) { hookDeliveries(appName: $appName) { totalCount edges { node {
      id eventId status attempt error { code } attempts { outcome } } } } }`;
    const { data, errors } = await platform.graphql(query, { appName });
    assert.equal(errors, undefined);
    const { hookDeliveries } = data as {
      hookDeliveries: {
        edges: { node: { id: string; eventId: string; status: string; attempts: { outcome: string }[] } }[];
      };
    };
    return hookDeliveries.edges.map(({ node }) => node);
  };
  /** The administrator's environment for appctl. */
  const credentials = (): readonly string[] => {
    const { authorization } = platform.administrator;
    return authorization === undefined ? [] : ["--token", authorization.replace("Bearer ", "")];
  };
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [appctl, "--http", platform.httpUrl, ...credentials(), "--json", ...args]);
    const [code, out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
    return { code: code[0] as number, out, err };
  };

  test("the clock receives a hook for a new note", async () => {
    const cookie = await platform.login("admin");
    const note = await fetch(`${platform.httpUrl}/api/apps/com.example.notes/notes`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ text: "Buy milk" }),
    });
    assert.equal(note.status, 201);
    const { id } = (await note.json()) as { id: string };
    const now = async () => {
      const response = await fetch(`${platform.httpUrl}/api/apps/com.example.clock/now`, { headers: { cookie } });
      return (await response.json()) as { lastNote: { id: string } | null };
    };
    await eventually(now, ({ lastNote }) => lastNote?.id === id);
  });

  test("an app triggers its own hooks with a signature; subscribers receive them over streams, in order per key", async () => {
    const app = await install(source);
    const subscriber = await install(uniqueName("com.example.listener"), [{ hook_name: created }]);
    const seen: Hook[] = [];
    await subscribe(subscriber, created, (hook) => {
      seen.push(hook);
    });
    const own = clientOf(app);
    const ids: string[] = [];
    for (let number = 0; number < 20; number += 1)
      ids.push((await triggerHook(own, created, { number }, { orderingKey: "one" })).eventId);
    const byAdministrator = `triggerHook(name: "${created}", data: { number: 20 }, orderingKey: "one") { eventId }`;
    const { triggerHook: last } = await command<{ triggerHook: { readonly eventId: string } }>(platform, byAdministrator);
    ids.push(last.eventId);
    await eventually(
      () => seen.length,
      (length) => length === 21,
    );
    assert.deepEqual(
      seen.map(({ id }) => id),
      ids,
    );
    for (const number of [7, 20])
      assert.deepEqual([seen[number]?.sourceApp, seen[number]?.data, seen[number]?.orderingKey], [source, { number }, "one"]);
    await assert.rejects(triggerHook(clientOf(subscriber), created, {}), (error) => {
      assert.equal(ConnectError.from(error).code, Code.PermissionDenied);
      return true;
    });
  });

  test("without a stream the hook is posted as in Standard Webhooks; 410 ends the subscription and leaves a dead letter", async () => {
    const subscriber = await install(uniqueName("com.example.posted"), [{ hook_name: `${source}.pushed`, path: "/hooks/in" }]);
    const { data } = await platform.graphql(
      `mutation ($data: JSON) { triggerHook(name: "${source}.pushed", data: $data) { success eventId hookName subscribers deliveries { appName } } }`,
      { data: { text: "ünï" } },
    );
    const { triggerHook: triggered } = data as { triggerHook: { eventId: string } };
    assert.deepEqual(triggered, {
      success: true,
      eventId: triggered.eventId,
      hookName: `${source}.pushed`,
      subscribers: 1,
      deliveries: [{ appName: uniqueName("com.example.posted") }],
    });
    const [post] = await eventually(
      () => posted,
      ({ length }) => length === 1,
    );
    assert.ok(post);
    const { secret } = await clientOf(subscriber).hooks.getPushSecret({});
    const hook = verifyPush(secret, post);
    assert.deepEqual([post.path, hook.id, hook.data], ["/base/hooks/in", triggered.eventId, { text: "ünï" }]);

    answer = 410;
    await triggerHook(client, `${source}.pushed`);
    const [dead] = await eventually(
      () => deliveriesTo(uniqueName("com.example.posted")),
      ([newest]) => newest?.status === "DEAD",
    );
    assert.deepEqual(
      dead?.attempts.map(({ outcome }) => outcome),
      ["GONE"],
    );
    assert.equal((await triggerHook(client, `${source}.pushed`)).subscribers, 0);

    // A new stream subscribes again, so the dead letter can be sent to it.
    const seen: string[] = [];
    await subscribe(subscriber, `${source}.pushed`, ({ id }) => {
      seen.push(id);
    });
    const resent = await run("hooks", "resend", dead?.id ?? "");
    assert.equal(resent.code, 0, resent.err);
    await eventually(
      () => seen,
      (ids) => ids.includes(dead?.eventId ?? ""),
    );
    const again = await run("hooks", "resend", "999999");
    assert.match(again.err, /NOT_FOUND/);
  });

  test("a stored event is the same in GraphQL, in REST, in its trace and in lists, which have pages", async () => {
    const { eventId } = await triggerHook(client, created, { number: 21 });
    const fields = "id hookName sourceApp data triggeredAt triggeredBy traceId";
    const { data } = await platform.graphql(`{ hookEvent(id: "${eventId}") { ${fields} } }`);
    const { hookEvent } = data as { hookEvent: { readonly traceId: string } };
    const { traceId } = hookEvent;
    assert.partialDeepStrictEqual(hookEvent, { id: eventId, hookName: created, sourceApp: source, data: { number: 21 } });
    const { data: traced } = await platform.graphql(`{ trace(id: "${traceId}") { hookEvents { ${fields} } } }`);
    assert.deepEqual(traced, { trace: { hookEvents: [hookEvent] } });
    const ofRest = await send(platform.httpUrl, `/api/v2/hook-events/${eventId}`, { headers: platform.administrator });
    assert.deepEqual(JSON.parse(ofRest.text), hookEvent);

    type Page = { edges: { cursor: string; node: { id: string } }[] };
    const list = async (filter: string): Promise<Page> => {
      const query = `{ hookEvents(${filter}, first: 1) { edges { cursor node { ${fields} } } } }`;
      return ((await platform.graphql(query)).data as { hookEvents: Page }).hookEvents;
    };
    const first = await list(`appName: "${source}", hookName: "${created}"`);
    assert.deepEqual(
      first.edges.map(({ node }) => node),
      [hookEvent],
    );
    const second = await list(`hookName: "${created}", after: "${first.edges[0]?.cursor}"`);
    assert.ok((second.edges[0]?.node.id ?? "") < eventId);
  });

  test("appctl triggers, lists and recovers; listen shows hooks as they arrive", async () => {
    const listening = run("hooks", "listen", created, "--count", "1");
    let triggers = 0;
    // Hooks before the listener's start are not shown: listen is for observation only.
    const shown = await Promise.race([
      listening,
      eventually(
        async () => {
          const { code, err } = await run("hooks", "trigger", created, "--data", '{"from": "appctl"}');
          assert.equal(code, 0, err);
          triggers += 1;
          return Promise.race([listening.then(() => true), new Promise<boolean>((done) => setTimeout(done, 500, false))]);
        },
        (isOver) => isOver,
        { timeoutMs: 60_000 },
      ).then(() => listening),
    ]);
    assert.equal(shown.code, 0, shown.err);
    assert.deepEqual((JSON.parse(shown.out) as { data: unknown }).data, { from: "appctl" });
    const listed = await run("hooks", "deliveries", "--hook", created, "--limit", "1");
    assert.equal((JSON.parse(listed.out) as unknown[]).length, 1);
    const recovered = await run("hooks", "recover", created, "--since", "2020-01-01T00:00:00Z");
    assert.deepEqual(JSON.parse(recovered.out), { recovered: 0 });
    const { data } = await platform.graphql(
      `mutation { recoverHookDeliveries(hookName: "${created}", since: "2020-01-01T00:00:00Z") }`,
    );
    assert.deepEqual(data, { recoverHookDeliveries: 0 });
    assert.ok(triggers > 0);
    const { code } = await run("hooks", "trigger", created, "--data", "{");
    assert.equal(code, 2);
  });

  test("hookTriggered sends each trigger to the subscribers of its name", async () => {
    const socket = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      connectionParams: platform.administrator,
    });
    const query = `subscription ($name: String) { hookTriggered(hookName: $name) { id hookName sourceApp data triggeredBy } }`;
    const seen: unknown[] = [];
    const unsubscribe = socket.subscribe(
      { query, variables: { name: created } },
      { next: ({ data }) => seen.push(data), error: () => {}, complete: () => {} },
    );
    // Operations of one connection start in order: the response to a later one shows that the earlier has started.
    await new Promise<void>((resolve, reject) => {
      socket.subscribe({ query: "{ health { status } }" }, { next: () => {}, error: reject, complete: resolve });
    });
    await triggerHook(client, `${source}.other`);
    const { eventId } = await triggerHook(client, created, [1]);
    await eventually(
      () => seen.length,
      (length) => length > 0,
    );
    unsubscribe();
    await socket.dispose();
    const triggeredBy = platform.variant === "embedded" ? "system" : `user:${platform.userId("admin")}`;
    const expected = { id: eventId, hookName: created, sourceApp: source, data: [1], triggeredBy };
    assert.deepEqual(seen, [{ hookTriggered: expected }]);
  });

  test("an installation sends app.on_create and fails with the reason of a subscriber that refuses", async () => {
    answer = 200;
    await install(guarding, [{ hook_name: "app.on_create", path: "/guard" }]);
    answer = 410;
    const name = uniqueName("com.example.unwanted");
    await assert.rejects(install(name), (error) => {
      assert.match(ConnectError.from(error).rawMessage, /app\.on_create: com\.example\.guard\S* refused it.*410/);
      return true;
    });
    const query = `{ app(name: "${name}") { state lastError { code message } } }`;
    const { data } = await platform.graphql(query);
    const { app } = data as { app: { state: string; lastError: { code: string; message: string } } };
    assert.deepEqual([app.state, app.lastError.code], ["FAILED", "UPSTREAM_ERROR"]);
  });
});
