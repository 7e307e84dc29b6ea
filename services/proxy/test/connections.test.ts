import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { newTraceparent, Rejection } from "@appserver/kernel";
import { NodeRequest, NodeResponse } from "@appserver/transports/http";
import { app, echo, route, TestProxy } from "./fakes.ts";

function scene(t: TestContext): TestProxy {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  return proxy;
}

/** Sends two requests, the second after the first response, on one connection if it survives. */
async function twice(
  t: TestContext,
  port: number,
  path: string,
  body: string,
): Promise<{ statuses: number[]; connections: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sockets = new Set<unknown>();
  const statuses: number[] = [];
  for (let i = 0; i < 2; i++) {
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest({
        port,
        host: "127.0.0.1",
        path,
        method: "POST",
        agent,
        headers: { "content-length": body.length },
      });
      request.on("socket", (socket) => sockets.add(socket));
      request.on("error", reject);
      request.on("response", (response) => {
        statuses.push(response.statusCode ?? 0);
        response.resume().on("end", () => setImmediate(resolve));
      });
      request.end(body);
    });
  }
  return { statuses, connections: sockets.size };
}

test("a refusal leaves the connection usable if the body is unread or partly read", async (t) => {
  const proxy = scene(t);
  const post = { methods: ["POST"] };
  const answersEarly = await proxy.upstream((_, response) => response.end("done"));
  await proxy.start(
    app({ url: answersEarly, api: { routes: [route("/early", post), route("/guarded", { ...post, isPublic: false })] } }),
  );
  const body = "x".repeat(100_000);
  assert.deepEqual(await twice(t, proxy.port, "/api/apps/demo/guarded", body), { statuses: [401, 401], connections: 1 });
  assert.deepEqual((await twice(t, proxy.port, "/api/apps/demo/early", body)).statuses, [200, 200]);
});

test("a client that stops sending its body gets 408, and the breaker does not count it as a failure of the app", async (t) => {
  const proxy = scene(t);
  await proxy.start(
    app({ url: await proxy.upstream(echo), api: { routes: [route("/x", { methods: ["POST"], timeoutMs: 60 })] } }),
  );
  for (let i = 0; i < 6; i++) {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(proxy.port, "127.0.0.1");
      socket.write("POST /api/apps/demo/x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf");
      socket.once("data", (chunk) => {
        socket.destroy();
        resolve(chunk.toString());
      });
      socket.on("error", reject);
    });
    assert.match(answer, /^HTTP\/1\.1 408 /);
  }
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
});

test("a streamed body may be slow for its caller, and is refused with the reason of the listener", async (t) => {
  const proxy = scene(t);
  const allowed: unknown[] = [];
  proxy.pace = { allowSlow: (caller, address) => void allowed.push([caller.kind, address]) };
  const arrived = Promise.withResolvers<void>();
  const url = await proxy.upstream((request) => request.on("error", () => {}).once("data", () => arrived.resolve()));
  await proxy.start(app({ url, api: { routes: [route("/x", { methods: ["POST"] })] } }));
  const received = new Promise<IncomingMessage>((resolve) => proxy.server.once("request", resolve));
  const upload = httpRequest({ port: proxy.port, host: "127.0.0.1", path: "/api/apps/demo/x", method: "POST", agent: false });
  const response = once(upload, "response") as Promise<[IncomingMessage]>;
  upload.on("error", () => {}).write("x");
  await arrived.promise;
  assert.deepEqual(allowed, [["anonymous", "203.0.113.9"]]);
  const reason = new Rejection("RATE_LIMIT_EXCEEDED", "slow_bodies", "too many", { retryAfterSeconds: 30 });
  (await received).emit("error", new Error("slow", { cause: reason }));
  const [answer] = await response;
  assert.deepEqual([answer.statusCode, answer.headers["retry-after"]], [429, "30"]);
  assert.equal((await proxy.logged(1))[0]?.["reasonId"], "slow_bodies");
  assert.equal(proxy.proxy.breakerState("demo"), "CLOSED");
  upload.destroy();
});

interface Http2Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

function ask(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let head: Record<string, unknown> = {};
    let text = "";
    stream.on("response", (answered) => {
      head = answered;
    });
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.on("end", () => resolve({ status: Number(head[":status"]), headers: head, body: text }));
    stream.on("error", reject);
    if (body !== undefined) stream.end(body);
  });
}

test("HTTP/2 requests pass the same steps", async (t) => {
  const proxy = scene(t);
  const dying = await proxy.upstream((_, response) => {
    response.writeHead(200).write("half");
    setTimeout(() => response.socket?.resetAndDestroy(), 10);
  });
  const routes = [route("/x", { methods: ["GET", "POST"] }), route("/guarded", { isPublic: false })];
  await proxy.start(
    app({ url: await proxy.upstream(echo), api: { maxBodyBytes: 10, routes } }),
    app({ name: "dying", url: dying, api: { routes } }),
  );
  const server = createHttp2Server((request, response) => {
    const context = { requestId: "h2", remoteAddress: "203.0.113.9", traceparent: newTraceparent() };
    const message = request as unknown as IncomingMessage;
    const answer = new NodeResponse(message, response as unknown as ServerResponse);
    proxy.proxy.http.handle(new NodeRequest(message), answer, context);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => {
    session.destroy();
    server.close();
  });
  const path = "/api/apps/demo/x";
  const posted = await ask(session, { ":method": "POST", ":path": path }, "hello");
  const seen = JSON.parse(posted.body) as { body: string; method: string; headers: Record<string, string> };
  assert.deepEqual([posted.status, seen.method, seen.body, posted.headers["x-request-id"]], [200, "POST", "hello", "h2"]);
  assert.match(seen.headers["x-forwarded-host"] ?? "", /^127\.0\.0\.1:/);
  assert.equal((await ask(session, { ":path": path })).status, 200);
  assert.equal((await ask(session, { ":path": "/api/apps/demo/guarded" })).status, 401);
  assert.equal((await ask(session, { ":method": "POST", ":path": path }, "more than ten bytes")).status, 413);
  await assert.rejects(ask(session, { ":path": "/api/apps/dying/x" }), { code: "ERR_HTTP2_STREAM_ERROR" });
  const statuses = (await proxy.logged(5)).map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 401, 413, 200]);
});
