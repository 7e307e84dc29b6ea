import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { eventually, FakeClock } from "@appserver/testing/kit";
import { type Answer, addressHeader, app, echo, handshake, route, TestProxy } from "./fakes.ts";

const path = "/api/apps/demo/x";

class Scene {
  readonly clock = new FakeClock();
  readonly proxy: TestProxy;
  #url = "";

  constructor(t: TestContext) {
    this.proxy = new TestProxy({ clock: this.clock });
    t.after(() => this.proxy.stop());
  }

  async start(): Promise<this> {
    this.#url = await this.proxy.upstream(echo);
    await this.proxy.start();
    this.buffer();
    return this;
  }

  buffer(name = "demo"): void {
    this.#put(name, { unavailable: "upgrading", isBuffered: true });
  }

  serve(name = "demo", url = this.#url): void {
    this.#put(name, { url, managed: true });
  }

  /** Sends requests. Resolves when all of them wait. */
  async send(count: number, method = "GET", body = ""): Promise<readonly Promise<Answer>[]> {
    const before = this.clock.sleeping;
    const answers = Array.from({ length: count }, () => this.proxy.fetch(path, { method, body }));
    await this.waiting(before + count);
    return answers;
  }

  waiting(count: number): Promise<unknown> {
    return eventually(
      () => this.clock.sleeping,
      (sleeping) => sleeping === count,
    );
  }

  #put(name: string, upstream: ReturnType<typeof app>["upstream"]): void {
    const routes = [route("/x", { methods: ["GET", "POST"] })];
    this.proxy.apps.set(name, app({ name, url: this.#url, generation: 2, upstream, api: { routes } }));
    this.proxy.proxy.refreshApp(name);
  }
}

const scene = (t: TestContext): Promise<Scene> => new Scene(t).start();

test("requests wait while the app is replaced, and are forwarded after the switch", async (t) => {
  const it = await scene(t);
  const answers = await it.send(5, "POST", "a body");
  it.buffer();
  it.serve();
  for (const answer of await Promise.all(answers)) assert.deepEqual([answer.status, answer.json()["body"]], [200, "a body"]);
  assert.equal(it.clock.sleeping, 0);
});

test("a body is requested only after the switch", async (t) => {
  const it = await scene(t);
  const headers = { expect: "100-continue", "content-length": 4 };
  const call = request({ port: it.proxy.port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
  let isAsked = false;
  call.on("continue", () => {
    isAsked = true;
    call.end("body");
  });
  call.flushHeaders();
  await it.waiting(1);
  assert.equal(isAsked, false);
  it.serve();
  const [response] = await once(call, "response");
  assert.deepEqual([response.statusCode, isAsked], [200, true]);
  response.resume();
});

test("a request waits for at most 30 s, also if the app changes during the wait", async (t) => {
  const it = await scene(t);
  const [answer] = await it.send(1);
  await it.clock.advance(20_000);
  it.serve("other");
  it.buffer();
  await it.clock.advance(10_000);
  const { status, headers, body } = (await answer) as Answer;
  assert.deepEqual([status, headers["retry-after"]], [503, "5"]);
  assert.deepEqual(JSON.parse(body).details, { reason: "upgrading", retry_after: 5 });
  assert.equal((await it.proxy.logged(1))[0]?.["reasonId"], "app_unavailable");
});

test("a waiting request to an app that is uninstalled gets 404", async (t) => {
  const it = await scene(t);
  const [answer] = await it.send(1);
  it.proxy.apps.clear();
  it.proxy.proxy.refreshApp("demo");
  assert.equal((await answer)?.status, 404);
});

test("1,000 requests of an app wait; the next is refused at once, and a client that disconnects frees its place", async (t) => {
  const it = await scene(t);
  it.serve("other");
  const sockets = Array.from({ length: 1_000 }, () => connect(it.proxy.port, "127.0.0.1").on("error", () => {}));
  for (const [index, socket] of sockets.entries())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n${addressHeader}: 203.0.113.${index % 4}\r\n\r\n`);
  await it.waiting(1_000);
  assert.deepEqual((await it.proxy.fetch(path)).json()["details"], { reason: "upgrading", retry_after: 5 });
  assert.equal((await it.proxy.fetch("/api/apps/other/x")).status, 200);
  sockets.pop()?.destroy();
  await it.waiting(999);
  const [answer] = await it.send(1);
  for (const socket of sockets) socket.destroy();
  await it.waiting(1);
  it.serve();
  assert.equal((await answer)?.status, 200);
});

test("one client has 250 places, and others are not refused for it", async (t) => {
  const it = await scene(t);
  const answers = await it.send(250);
  assert.equal((await it.proxy.fetch(path)).status, 503);
  const other = it.proxy.fetch(path, { headers: { [addressHeader]: "203.0.113.1" } });
  await it.waiting(251);
  it.serve();
  const statuses = new Set((await Promise.all([...answers, other])).map((answer) => answer?.status));
  assert.deepEqual([...statuses], [200]);
});

test("a WebSocket handshake waits, and is forwarded with what its client sent during the wait", async (t) => {
  const it = await scene(t);
  const received = Promise.withResolvers<string>();
  const url = await it.proxy.webSockets((socket, _, head) => {
    if (head.length > 0) received.resolve(head.toString());
    socket.on("data", (chunk) => received.resolve(String(chunk)));
  });
  const socket = handshake(it.proxy.port, path);
  await it.waiting(1);
  socket.write("early frame");
  it.serve("demo", url);
  const [head] = (await once(socket, "data")) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 101 /);
  assert.equal(await received.promise, "early frame");
  socket.destroy();
});

test("a client that ends its WebSocket handshake frees its place", async (t) => {
  const it = await scene(t);
  const socket = handshake(it.proxy.port, path);
  await it.waiting(1);
  socket.destroy();
  await it.waiting(0);
});
