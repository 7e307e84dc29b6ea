import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { app, echo, listen, perMinute, route, TestProxy } from "./fakes.ts";

type TestContext = { after(fn: () => Promise<void>): void };

async function scene(t: TestContext, listener: RequestListener, options: Parameters<typeof app>[0] | object = {}) {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  await proxy.start(app({ url: await proxy.upstream(listener), api: { routes: [route("/**")] }, ...options }));
  return proxy;
}

const sandboxed = /^sandbox allow-scripts (?![^,]*allow-same-origin)(?![^,]*allow-top-navigation)/;

test("a response that a browser could run as a page is sandboxed, whatever its content type; data is not", async (t) => {
  const proxy = await scene(t, (request, response) => {
    const type = decodeURIComponent(request.url?.slice(1) ?? "");
    if (type === "two types") response.appendHeader("content-type", "text/plain").appendHeader("content-type", "text/html");
    else if (type !== "none") response.setHeader("content-type", type);
    response.statusCode = type.includes("error") ? 500 : 200;
    response.end("<script>1</script>");
  });
  const policyOf = async (type: string) => {
    const { headers } = await proxy.fetch(`/api/apps/demo/${encodeURIComponent(type).replaceAll("%2F", "/")}`);
    assert.equal(headers["x-content-type-options"], "nosniff", type);
    return headers["content-security-policy"];
  };
  const active = ["text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "text/html; x=error", "unknown/type"];
  for (const type of [...active, "none", "two types"]) assert.match(String(await policyOf(type)), sandboxed, type);
  for (const type of ["application/json", "text/plain", "image/png", "text/javascript"])
    assert.equal(await policyOf(type), undefined, type);
});

test("an app's own policy can restrict further, but never relaxes", async (t) => {
  const own = "sandbox allow-same-origin allow-scripts, script-src 'none'";
  const proxy = await scene(t, (_, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": own, "x-content-type-options": "none" });
    response.end();
  });
  const { headers } = await proxy.fetch("/api/apps/demo/x");
  assert.match(String(headers["content-security-policy"]), sandboxed);
  assert.ok(String(headers["content-security-policy"]).endsWith(`, ${own}`));
  assert.equal(headers["x-content-type-options"], "nosniff");
});

test("an app with page:origin gets unsandboxed pages; one that only requests it, or holds it without requesting it, does not", async (t) => {
  const html: RequestListener = (_, response) => void response.setHeader("content-type", "text/html").end();
  const proxy = await scene(t, html, { asksForOrigin: true });
  const policy = async () => (await proxy.fetch("/api/apps/demo/x")).headers["content-security-policy"];
  assert.match(String(await policy()), sandboxed);
  await proxy.stop();

  const trusted = await scene(t, html, { asksForOrigin: true });
  trusted.authorization.grant("app:demo", "permission_scope:origin_page");
  const answer = await trusted.fetch("/api/apps/demo/x");
  assert.equal(answer.headers["content-security-policy"], undefined);
  assert.equal(answer.headers["x-content-type-options"], "nosniff");

  const unasked = await scene(t, html);
  unasked.authorization.grant("app:demo", "permission_scope:origin_page");
  assert.match(String((await unasked.fetch("/api/apps/demo/x")).headers["content-security-policy"]), sandboxed);
  assert.equal(unasked.authorization.asked, 0);
});

test("if the authorization service is unavailable, a page is served sandboxed", async (t) => {
  const html: RequestListener = (_, response) => void response.setHeader("content-type", "text/html").end();
  const proxy = await scene(t, html, { asksForOrigin: true });
  proxy.authorization.outage = true;
  const { status, headers } = await proxy.fetch("/api/apps/demo/x");
  assert.deepEqual([status, sandboxed.test(String(headers["content-security-policy"]))], [200, true]);
});

test("headers that apply to the whole origin are not returned", async (t) => {
  const originWide = {
    "service-worker-allowed": "/",
    "clear-site-data": '"*"',
    "strict-transport-security": "max-age=31536000",
    "alt-svc": 'h3="evil.example:443"',
    "public-key-pins": "x",
    "public-key-pins-report-only": "x",
    nel: "{}",
    "report-to": "{}",
    "reporting-endpoints": "x",
    "accept-ch": "Sec-CH-UA-Model",
    "critical-ch": "Sec-CH-UA-Model",
    "use-as-dictionary": 'match="/*"',
    "set-login": "logged-out",
  };
  const proxy = await scene(t, (_, response) => void response.writeHead(200, { ...originWide, "x-own": "kept" }).end());
  const { headers } = await proxy.fetch("/api/apps/demo/x");
  for (const name of Object.keys(originWide)) assert.equal(headers[name], undefined, name);
  assert.equal(headers["x-own"], "kept");
});

test("cookies of an app are limited to its base, and the session cookie is never among them", async (t) => {
  const proxy = await scene(t, (_, response) => {
    const cookies = ["own=1", "wide=1; Path=/; Domain=127.0.0.1", "identity_session=a", "=identity_session=b", "__Host-a=1"];
    response.writeHead(200, { "set-cookie": cookies }).end();
  });
  const { headers } = await proxy.fetch("/api/apps/demo/x");
  assert.deepEqual(headers["set-cookie"], ["own=1; Path=/api/apps/demo", "wide=1; Path=/api/apps/demo"]);
});

test("a handshake sets no cookie and no header for the whole origin", async (t) => {
  const sockets = createServer().on("upgrade", (_, socket) => {
    socket.end(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        "Set-Cookie: identity_session=bob; Path=/\r\nSet-Cookie: own=1\r\nClear-Site-Data: *\r\nSec-WebSocket-Accept: x\r\n\r\n",
    );
  });
  const port = await listen(sockets);
  t.after(async () => void sockets.close());
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  await proxy.start(app({ url: `http://127.0.0.1:${port}`, api: { routes: [route("/**")] } }));
  const head = await new Promise<string>((resolve, reject) => {
    const socket = connect(proxy.port, "127.0.0.1");
    const lines = [
      "Host: h",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: a2V5",
      "Sec-WebSocket-Version: 13",
    ];
    socket.write(`GET /api/apps/demo/x HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
  assert.match(head, /^HTTP\/1\.1 101 /);
  assert.match(head, /sec-websocket-accept: x/i);
  assert.doesNotMatch(head, /set-cookie|clear-site-data/i);
});

const forwardHeaders = ["cookie", "Authorization", "x-app-signature", "x-request-timestamp"];
const sent = {
  cookie: "a=b; identity_session=s1",
  authorization: "Bearer token",
  "x-request-timestamp": "2026-01-01T00:00:00Z",
};

test("the caller's session is forwarded to no app, not even to one that lists its headers", async (t) => {
  const proxy = await scene(t, echo, { api: { forwardHeaders, routes: [route("/**")] } });
  const seen = async (headers: Record<string, string>) =>
    (await proxy.fetch("/api/apps/demo/x", { headers })).json()["headers"] as Record<string, string>;
  const first = await seen(sent);
  assert.deepEqual([first["cookie"], first["authorization"], first["x-request-timestamp"]], ["a=b", undefined, undefined]);
  const second = await seen({ cookie: "identity_session=s1", authorization: "Basic abc" });
  assert.deepEqual([second["cookie"], second["authorization"]], [undefined, "Basic abc"]);
});

test("with forward_session a listed header is forwarded unchanged", async (t) => {
  const proxy = new TestProxy({ deps: { forwardSession: true } });
  t.after(() => proxy.stop());
  const url = await proxy.upstream(echo);
  await proxy.start(
    app({ url, api: { forwardHeaders, routes: [route("/**")] } }),
    app({ name: "plain", url, api: { routes: [route("/**")] } }),
  );
  const seen = async (name: string) =>
    (await proxy.fetch(`/api/apps/${name}/x`, { headers: sent })).json()["headers"] as Record<string, string>;
  const listed = await seen("demo");
  for (const [name, value] of Object.entries(sent)) assert.equal(listed[name], value);
  const unlisted = await seen("plain");
  for (const name of Object.keys(sent)) assert.equal(unlisted[name], undefined);
});

test("pages of other sites cannot embed responses of protected routes, unless the app allows it", async (t) => {
  const proxy = await scene(
    t,
    (request, response) => {
      if (request.url === "/shared") response.setHeader("cross-origin-resource-policy", "cross-origin");
      response.end();
    },
    { api: { routes: [route("/public"), route("/**", { isPublic: false })] } },
  );
  proxy.identity.sessions.set("s1", { userId: "alice", displayName: "Alice" });
  const policy = async (path: string) =>
    (await proxy.fetch(`/api/apps/demo${path}`, { headers: { cookie: "identity_session=s1" } })).headers[
      "cross-origin-resource-policy"
    ];
  assert.deepEqual(
    [await policy("/public"), await policy("/own"), await policy("/shared")],
    [undefined, "same-origin", "cross-origin"],
  );
});

test("responses with the same head have the headers of their own route, however often it comes", async (t) => {
  const routes = [route("/limited", { rateLimit: perMinute(100) }), route("/login", { isPublic: false }), route("/**")];
  const proxy = await scene(
    t,
    (_request, response) => {
      response.setHeader("date", "Fri, 27 Nov 2026 00:00:00 GMT").setHeader("x-ratelimit-limit", "own");
      response.end();
    },
    { api: { routes } },
  );
  proxy.identity.sessions.set("s1", { userId: "alice", displayName: "Alice" });
  const seen = async (path: string) => {
    const { headers } = await proxy.fetch(`/api/apps/demo${path}`, { headers: { cookie: "identity_session=s1" } });
    return [headers["cross-origin-resource-policy"], headers["x-ratelimit-limit"]];
  };
  for (let time = 0; time < 3; time += 1) {
    assert.deepEqual(await seen("/limited"), [undefined, "100"]);
    assert.deepEqual(await seen("/login"), ["same-origin", "own"]);
    assert.deepEqual(await seen("/other"), [undefined, "own"]);
  }
});

test("refusals of the proxy are sent with nosniff", async (t) => {
  const proxy = await scene(t, echo);
  assert.equal((await proxy.fetch("/api/apps/none/x")).headers["x-content-type-options"], "nosniff");
});
