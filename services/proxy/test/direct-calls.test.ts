import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { AppError, type Caller, newTraceparent } from "@appserver/kernel";
import { eventually, FakeClock } from "@appserver/testing/kit";
import type { DirectCaller, DirectRequest } from "../src/index.ts";
import { app, echo, perMinute, route, TestProxy } from "./fakes.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice", agent: {} };
const context = {
  requestId: "r1",
  remoteAddress: "203.0.113.9",
  host: "apps.example",
  protocol: "https",
  traceparent: newTraceparent(),
} as const;
const asAlice: DirectCaller = { caller: alice, context, signal: new AbortController().signal, reauthenticate: () => {} };

const get = (path: string, pattern = path, more: Partial<DirectRequest> = {}): DirectRequest => ({
  app: "demo",
  pattern,
  method: "GET",
  target: `/api/apps/demo${path}`,
  body: undefined,
  ...more,
});

const guarded = { isPublic: false, scopes: ["notes:read"] };
const scope = "permission_scope:demo/read_notes";

async function scene(t: TestContext, backend: RequestListener = echo, clock?: FakeClock): Promise<TestProxy> {
  const proxy = new TestProxy(clock ? { clock } : {});
  t.after(() => proxy.stop());
  const routes = [
    route("/notes", { ...guarded, methods: ["GET", "POST"] }),
    route("/notes/{id}", guarded),
    route("/limited", { isPublic: false, rateLimit: perMinute(1) }),
    route("/open"),
    route("/**", { isPublic: false }),
  ];
  return proxy.start(app({ url: await proxy.upstream(backend), api: { routes } }));
}

test("the app gets the request as the caller's, with the headers of the platform, and the log has it", async (t) => {
  const { proxy, authorization, logger, handled } = await scene(t);
  authorization.grant("user:alice", scope);
  const {
    status,
    contentType,
    text = "",
    isCut,
  } = await proxy.direct.call(
    get("/notes", "/notes", { method: "POST", target: "/api/apps/demo/notes?a=1", body: '{"text":"ü"}' }),
    asAlice,
  );
  const seen = JSON.parse(text) as { url: string; headers: Record<string, string>; body: string };
  assert.deepEqual(
    [status, contentType, isCut, seen.url, seen.body],
    [200, "application/json", false, "/notes?a=1", '{"text":"ü"}'],
  );
  const { headers } = seen;
  assert.deepEqual(
    [
      headers["x-user-id"],
      headers["x-request-id"],
      headers["x-forwarded-host"],
      headers["x-forwarded-proto"],
      headers["x-forwarded-for"],
    ],
    ["alice", "r1", "apps.example", "https", "203.0.113.9"],
  );
  assert.deepEqual(
    [headers["content-type"], headers["accept-encoding"], headers["authorization"]],
    ["application/json", "identity", undefined],
  );
  const [line] = logger.lines.filter(({ message }) => message === "request");
  assert.deepEqual([line?.fields["status"], line?.fields["caller"], line?.fields["pattern"]], [200, "user:alice", "/notes"]);
  assert.equal(handled.length, 1);
});

test("what the proxy refuses is refused with its code and details, by the call and by its check", async (t) => {
  const { proxy, logger } = await scene(t);
  const denied = { code: "PERMISSION_DENIED", details: { required_permission: "notes:read" } };
  await assert.rejects(proxy.direct.check(get("/notes"), asAlice), denied);
  assert.equal(logger.lines.length, 0);
  await assert.rejects(proxy.direct.call(get("/notes"), asAlice), denied);
  const [line] = logger.lines;
  assert.deepEqual([line?.fields["status"], line?.fields["reasonId"]], [403, "permission_denied"]);
  await assert.rejects(proxy.direct.call(get("/notes", "/notes", { method: "PUT" }), asAlice), { code: "INVALID_REQUEST" });
  await assert.rejects(proxy.direct.call(get("/x", "/x", { app: "none", target: "/api/apps/none/x" }), asAlice), {
    code: "NOT_FOUND",
  });
  await proxy.direct.call(get("/limited"), asAlice);
  await assert.rejects(proxy.direct.call(get("/limited"), asAlice), { code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: 60 });
});

test("a call reaches only the route that it names", async (t) => {
  const { proxy, authorization } = await scene(t);
  authorization.grant("user:alice", scope);
  for (const path of ["/notes/1", "/notes", "/other/../notes", "/a%2fb", "//notes"])
    await assert.rejects(proxy.direct.call(get(path, "/{path...}"), asAlice), /no such route|not valid/, path);
  assert.equal((await proxy.direct.call(get("/other/x", "/**"), asAlice)).status, 200);
  await assert.rejects(proxy.direct.call(get("/open", "/open", { app: "other" }), asAlice), { code: "NOT_FOUND" });
});

test("a public route gets the request without its caller", async (t) => {
  const { proxy } = await scene(t);
  const { text = "" } = await proxy.direct.call(get("/open"), asAlice);
  assert.equal((JSON.parse(text) as { headers: Record<string, string> }).headers["x-user-id"], undefined);
});

test("of a body at most 256 kB of a text are kept, and of another type its length", async (t) => {
  const types: Readonly<Record<string, string>> = {
    "/large": "text/plain",
    "/image": "image/png",
    "/latin": "text/plain; charset=latin1",
  };
  const { proxy } = await scene(t, ({ url = "" }, response) => {
    response.setHeader("content-type", types[url] ?? "application/json");
    response.end(Buffer.alloc(url === "/image" ? 1_000_000 : 400_000, "x"));
  });
  const large = await proxy.direct.call(get("/large", "/**"), asAlice);
  assert.deepEqual([large.text?.length, large.isCut, large.length], [262_144, true, 400_000]);
  const image = await proxy.direct.call(get("/image", "/**"), asAlice);
  assert.deepEqual([image.text, image.isCut, image.length], [undefined, false, 1_000_000]);
  assert.equal((await proxy.direct.call(get("/latin", "/**"), asAlice)).text, undefined);
  assert.equal(proxy.takeUsed().length, 1);
  assert.equal(proxy.takeUsed().length, 0);
});

test("a stream of events is cut after 30 seconds, and ends at once when the caller goes away", async (t) => {
  const clock = new FakeClock();
  let open = 0;
  const { proxy } = await scene(
    t,
    (request, response) => {
      open += 1;
      request.socket.once("close", () => {
        open -= 1;
      });
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    },
    clock,
  );
  const stream = proxy.direct.call(get("/events", "/**"), asAlice);
  await eventually(async () => assert.equal(open, 1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await clock.advance(30_000);
  const { text, isCut } = await stream;
  assert.deepEqual([text, isCut], ["data: 1\n\n", true]);
  const leaving = new AbortController();
  const left = proxy.direct.call(get("/events", "/**"), { ...asAlice, signal: leaving.signal });
  await eventually(async () => assert.equal(open, 1));
  leaving.abort();
  await assert.rejects(left, { code: "INVALID_REQUEST", reasonId: "client_gone" });
  await eventually(async () => assert.equal(open, 0));
});

test("a response that breaks off, and a backend that does not respond, are errors", async (t) => {
  const { proxy } = await scene(t, ({ url, socket }, response) => {
    if (url !== "/half") return socket.destroy();
    response.writeHead(200, { "content-type": "text/plain", "content-length": "10" }).write("half");
    setTimeout(() => socket.destroy(), 20);
    return undefined;
  });
  await assert.rejects(proxy.direct.call(get("/half", "/**"), asAlice), { code: "UPSTREAM_ERROR" });
  await assert.rejects(proxy.direct.call(get("/none", "/**"), asAlice), { code: "UPSTREAM_ERROR" });
});

test("a stream ends when the caller would not be accepted any more", async (t) => {
  const { proxy, connections } = await scene(t, (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
  });
  let isValid = true;
  const reauthenticate = (): void => {
    if (!isValid) throw new AppError("AUTHENTICATION_FAILED", "the session has ended");
  };
  const stream = proxy.direct.call(get("/events", "/**"), { ...asAlice, reauthenticate });
  stream.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  isValid = false;
  connections.recheck(() => true);
  await assert.rejects(stream, { code: "UPSTREAM_ERROR" });
});
