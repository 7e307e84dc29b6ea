import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  containerApi,
  eventually,
  type PlatformUnderTest,
  publishApp,
  send,
  startOwnPlatform,
  testApp,
  untilRouted,
  untilState,
  writeAppFolder,
} from "@appserver/testing/kit";
import { appProcess } from "./app-process.ts";
import { command, dataOf } from "./commands.ts";

const [notes, clock] = ["com.example.notes", "com.example.clock"];
const sleepAfterMs = 2_000;
const timeoutMs = 60_000;
const skip = process.platform === "linux" ? false : "needs /proc";

/** The response has the id of the process. The response to `/stream` and WebSockets stay open. */
const source = `
import { createServer } from "node:http";
const server = createServer((request, response) => {
  if (request.url === "/stream") response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\\n\\n");
  else response.end(String(process.pid));
});
server.on("upgrade", (request, socket) => {
  socket.on("error", () => {}).on("end", () => socket.end()).resume();
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\n\\r\\n");
});
server.listen(Number(process.env.PORT), process.env.HOST);
`;

interface Shown {
  readonly state: string;
  readonly asleepSince: string | null;
  readonly deployment: { readonly state: string; readonly restartCount: number };
}

/** docs/interface/sleep.md */
describe("apps that sleep when they are idle", { skip }, () => {
  let platform: PlatformUnderTest;
  let folder: string;
  const open: (Duplex | IncomingMessage)[] = [];
  before(async () => {
    platform = await startOwnPlatform("idle apps sleep soon", {
      environment: { APPSERVER_APPS_SLEEP_AFTER: `${sleepAfterMs}ms` },
    });
    folder = await writeAppFolder(source);
    const minutely = [{ name: "tick", schedule: { cron: "* * * * *" } }];
    await Promise.all([install("idle"), install("socket"), install("stream"), install("minutely", { activities: minutely })]);
  });
  after(async () => {
    for (const each of open) each.destroy();
    await platform?.stop();
    await rm(folder, { recursive: true });
  });

  const nameOf = (part: string): string => `com.example.${part}`;
  const install = async (part: string, fields: object = {}): Promise<void> => {
    const name = nameOf(part);
    await publishApp(platform, name, folder);
    await platform.register(await testApp({ name, web_app: { api: containerApi(name) }, ...fields }));
    await platform.client().marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name, "/ok");
    if (part === "socket") await held(name, { upgrade: "websocket", connection: "Upgrade" }, "/ok", "upgrade");
    if (part === "stream") await held(name, {}, "/stream", "response");
  };
  /** Opens a request that does not end. */
  const held = async (name: string, headers: Readonly<Record<string, string>>, path: string, event: string): Promise<void> => {
    const handshake = { "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    const url = `${platform.httpUrl}/api/apps/${name}${path}`;
    const opened = request(url, { headers: headers["upgrade"] ? { ...headers, ...handshake } : headers }).end();
    opened.on("error", () => {});
    const [response, socket] = (await once(opened, event)) as [IncomingMessage, Duplex | undefined];
    open.push(socket ?? response);
  };
  const shown = async (name: string): Promise<Shown> =>
    (
      await dataOf<{ readonly app: Shown }>(
        platform,
        `{ app(name: "${name}") { state asleepSince deployment { state restartCount } } }`,
      )
    ).app;
  const untilAsleep = async (name: string): Promise<void> => {
    const isAsleep = async () => (await shown(name)).asleepSince !== null && appProcess(platform, name) === undefined;
    await eventually(isAsleep, (is) => is, { timeoutMs, what: `the sleep of ${name}` });
  };

  test("an idle app costs no process and stays RUNNING; a thousand requests at once start it once", async () => {
    const name = nameOf("idle");
    await untilAsleep(name);
    const { state, deployment } = await shown(name);
    assert.deepEqual([state, deployment], ["RUNNING", { state: "ASLEEP", restartCount: 0 }]);
    assert.equal((await send(platform.httpUrl, `/api/apps/${name}/ok`, { method: "HEAD" })).status, 503);
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        const response = await fetch(`${platform.httpUrl}/api/apps/${name}/ok`);
        return { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
      }),
    );
    const served = answers.filter(({ status }) => status === 200);
    assert.deepEqual(new Set(served.map(({ text }) => text)).size, 1, "one process answered all");
    assert.ok(served.length >= 250);
    for (const { status, retryAfter } of answers.filter((each) => each.status !== 200))
      assert.deepEqual([status, retryAfter], [503, "5"]);
    assert.deepEqual((await shown(name)).deployment, { state: "HEALTHY", restartCount: 0 });
  });

  test("a hook to an app that sleeps wakes it, and is delivered once", async () => {
    for (const name of [notes, clock]) await untilAsleep(name);
    const cookie = await platform.login("admin");
    const headers = { cookie, "content-type": "application/json" };
    const created = await send(platform.httpUrl, `/api/apps/${notes}/notes`, { method: "POST", headers, body: '{"text":"a"}' });
    assert.equal(created.status, 201, created.text);
    const query = `{ hookDeliveries(appName: "${clock}") { edges { node { status attempt } } } }`;
    type Deliveries = { readonly hookDeliveries: { readonly edges: readonly { readonly node: object }[] } };
    const { hookDeliveries } = await eventually(
      () => dataOf<Deliveries>(platform, query),
      ({ hookDeliveries: { edges } }) => JSON.stringify(edges).includes("DELIVERED"),
      { timeoutMs, what: "the delivery" },
    );
    assert.deepEqual(hookDeliveries.edges, [{ node: { status: "DELIVERED", attempt: 1 } }]);
  });

  test("a sleeping app is replaced by another release as any other", async () => {
    const name = nameOf("idle");
    await untilAsleep(name);
    await command(platform, `redeployApp(name: "${name}") { success }`);
    await untilState(platform, name, "RUNNING");
    await untilAsleep(name);
    assert.equal((await send(platform.httpUrl, `/api/apps/${name}/ok`)).status, 200);
  });

  test("an app with an open WebSocket, a stream or a schedule every minute never sleeps", async () => {
    const awake = ["socket", "stream", "minutely"].map(nameOf);
    const pids = (): readonly unknown[] => awake.map((name) => appProcess(platform, name)?.pid);
    const before = pids();
    await sleep(2 * sleepAfterMs);
    assert.deepEqual(pids(), before);
    for (const name of awake) assert.equal((await shown(name)).asleepSince, null, name);
    for (const each of open) each.destroy();
    await untilAsleep(nameOf("socket"));
    await untilAsleep(nameOf("stream"));
  });
});
