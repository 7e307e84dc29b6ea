import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { newTraceparent } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import type { ProxyDeps } from "../src/index.ts";
import { app, route, TestProxy } from "./fakes.ts";

interface Scene {
  readonly proxy: TestProxy;
  /** The number of times that a start was asked for. */
  wakes(): number;
  fallAsleep(name?: string): void;
  awake(): void;
}

const methods = ["GET", "OPTIONS"];
const routes = [route("/x", { isPublic: false }), route("/open", { isPublic: true, methods })];

/** An app that is asleep, with a backend that starts when the test says so. */
async function scene(t: TestContext, deps: Partial<ProxyDeps> = {}): Promise<Scene> {
  const asked: string[] = [];
  const wakes = { wake: async (appId: string) => void asked.push(appId) };
  const proxy = new TestProxy({ deps: { wakes, ...deps } });
  t.after(() => proxy.stop());
  const url = await proxy.upstream((request, response) => {
    if (request.url === "/open?stream") response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    else response.end(request.url);
  });
  await proxy.start();
  const serve = (name: string, upstream: object): void => {
    proxy.apps.set(name, { ...app({ name, url, api: { routes } }), ...upstream, manifestDigest: "m" });
    proxy.proxy.refreshApp(name);
  };
  const fallAsleep = (name = "demo"): void => serve(name, { upstream: { unavailable: "asleep", isAsleep: true } });
  fallAsleep();
  return { proxy, wakes: () => asked.length, fallAsleep, awake: () => serve("demo", {}) };
}

test("however many requests wait for an app, one start is asked for, and all get their responses", async (t) => {
  const { proxy, wakes, awake } = await scene(t);
  const answers = Array.from({ length: 100 }, () => proxy.fetch("/api/apps/demo/open"));
  await eventually(wakes, (count) => count > 0);
  awake();
  assert.deepEqual(
    new Set((await Promise.all(answers)).map(({ status, body }) => `${status} ${body}`)),
    new Set(["200 /open"]),
  );
  assert.equal(wakes(), 1);
});

test("a call of another listener starts the app as a request does, and its check starts nothing", async (t) => {
  const { proxy, wakes, awake } = await scene(t);
  const request = { app: "demo", pattern: "/x", method: "GET", target: "/api/apps/demo/x", body: undefined };
  const context = { requestId: "r1", remoteAddress: "203.0.113.9", traceparent: newTraceparent() };
  const caller = { kind: "user", id: "alice", displayName: "Alice" } as const;
  const by = { caller, context, signal: new AbortController().signal, reauthenticate: () => {} };
  await proxy.proxy.direct.check(request, by);
  assert.equal(wakes(), 0);
  const response = proxy.proxy.direct.call(request, by);
  await eventually(wakes, (count) => count > 0);
  awake();
  assert.equal((await response).status, 200);
});

test("a caller who may not use the route wakes nothing, nor does a request that only asks", async (t) => {
  const { proxy, wakes } = await scene(t);
  assert.equal((await proxy.fetch("/api/apps/demo/x")).status, 401);
  for (const init of [{ method: "HEAD" }, { method: "OPTIONS" }, { headers: { "sec-purpose": "prefetch;prerender" } }]) {
    const { status, headers } = await proxy.fetch("/api/apps/demo/open", init);
    assert.deepEqual([status, headers["retry-after"]], [503, "5"], JSON.stringify(init));
  }
  assert.equal(wakes(), 0);
});

test("requests to public routes start a bounded number of apps a minute, for each address and in all", async (t) => {
  const { proxy, wakes, fallAsleep } = await scene(t, { publicWakes: { perAddress: 1, inAll: 2 }, wakeTimeoutMs: 50 });
  const wake = async (name: string, address: string): Promise<string> => {
    fallAsleep(name);
    const before = wakes();
    const { status, body } = await proxy.fetch(`/api/apps/${name}/open`, { headers: { "x-test-address": address } });
    return `${status} ${JSON.parse(body).details.reason} ${wakes() - before}`;
  };
  assert.equal(await wake("one", "203.0.113.1"), "503 waking 1");
  assert.equal(await wake("two", "203.0.113.1"), "503 asleep 0");
  assert.equal(await wake("two", "203.0.113.2"), "503 waking 1");
  assert.equal(await wake("three", "203.0.113.3"), "503 asleep 0");
  assert.equal(await wake("two", "203.0.113.1"), "503 waking 0", "it joins a start that was asked for");
});

test("a browser that opens a page of the app is shown that it starts", async (t) => {
  const { proxy } = await scene(t);
  const { status, headers, body } = await proxy.fetch("/api/apps/demo/open", { headers: { "sec-fetch-mode": "navigate" } });
  assert.deepEqual([status, headers["retry-after"], headers["content-type"]], [503, "1", "text/html; charset=utf-8"]);
  assert.match(body, /<meta http-equiv="refresh" content="1">[\s\S]*demo was asleep/);
});

test("a request waits no longer than the time for a start, and holds nothing afterwards", async (t) => {
  const { proxy, awake } = await scene(t, { wakeTimeoutMs: 50 });
  const { status, body } = await proxy.fetch("/api/apps/demo/open");
  assert.deepEqual([status, JSON.parse(body).details.reason], [503, "waking"]);
  awake();
  assert.equal((await proxy.fetch("/api/apps/demo/open")).status, 200);
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
});

test("what runs on an app that falls asleep is reported until it ends, and keeps it in use", async (t) => {
  const { proxy, awake, fallAsleep } = await scene(t);
  awake();
  const stream = request({ port: proxy.port, path: "/api/apps/demo/open?stream" }).end();
  t.after(() => stream.destroy());
  await once(stream, "response");
  assert.deepEqual(proxy.proxy.takeUsed(), ["demo"]);
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 1, exchanges: 0, isAsleep: false });
  fallAsleep();
  assert.deepEqual(proxy.proxy.drainState("demo"), { generation: 1, exchanges: 1, isAsleep: true });
  assert.deepEqual(proxy.proxy.takeUsed(), ["demo"]);
  stream.on("error", () => {}).destroy();
  await eventually(
    () => proxy.proxy.drainState("demo"),
    (state) => state?.exchanges === 0,
  );
  assert.deepEqual(proxy.proxy.takeUsed(), []);
});

test("a use is reported once, and a request that only asks is none", async (t) => {
  const { proxy, awake } = await scene(t);
  awake();
  proxy.proxy.takeUsed();
  await proxy.fetch("/api/apps/demo/open", { method: "HEAD" });
  await proxy.logged(1);
  assert.deepEqual(proxy.proxy.takeUsed(), []);
  await proxy.fetch("/api/apps/demo/open");
  await proxy.logged(2);
  assert.deepEqual([proxy.proxy.takeUsed(), proxy.proxy.takeUsed()], [["demo"], []]);
});
