import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import { platformHeaderNames } from "../src/domain/platform-headers.ts";
import { app, echo, route, TestProxy } from "./fakes.ts";

async function proxyTo(context: { after(fn: () => Promise<void>): void }): Promise<TestProxy> {
  const proxy = new TestProxy();
  context.after(() => proxy.stop());
  return proxy;
}

test("strips the base path or keeps it, and forwards the query", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream(echo);
  await proxy.start(
    app({ name: "stripped", url: `${url}/inner/`, api: { basePath: "/api/apps/stripped/v1", routes: [route("/**")] } }),
    app({ name: "whole", url, api: { basePath: "/v1", stripBasePath: false, routes: [route("/**")] } }),
  );
  const seen = async (path: string) => (await proxy.fetch(path)).json()["url"];
  assert.equal(await seen("/api/apps/stripped/v1/notes/7?a=b%20c"), "/inner/notes/7?a=b%20c");
  assert.equal(await seen("/api/apps/stripped/v1"), "/inner/");
  assert.equal(await seen("/api/apps/stripped/v1/[a]|b?[c]"), "/inner/%5Ba%5D%7Cb?[c]");
  assert.equal(await seen("/api/apps/whole/v1/notes?x"), "/api/apps/whole/v1/notes?x");
  assert.equal((await proxy.fetch("/api/apps/stripped/v1x")).status, 404);
  assert.equal((await proxy.fetch("/api/apps/stripped/v2")).status, 404);
});

test("only listed headers are forwarded, callers' identity headers never, and the platform's are added last", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream(echo);
  const forwardHeaders = ["X-Listed", "X-Hop", "x-user-id", "x_user_id", "X-App-Name", "connection", "expect", "host"];
  await proxy.start(app({ url, api: { forwardHeaders, routes: [route("/**", { isPublic: false })] } }));
  proxy.identity.sessions.set("s1", { userId: "alice", displayName: "Alice" });
  const answer = await proxy.fetch("/api/apps/demo/x", {
    headers: {
      cookie: "identity_session=s1",
      "x-listed": "yes",
      "x-unlisted": "no",
      "x-user-id": "root",
      X_User_ID: "root",
      "x-hop": "listed, but named by Connection",
      "user-agent": "test",
      connection: "X-User-ID, X-Hop, close",
    },
  });
  const headers = answer.json()["headers"] as Record<string, string>;
  assert.equal(headers["x-user-id"], "alice");
  assert.equal(headers["x-listed"], "yes");
  assert.equal(headers["user-agent"], "test");
  assert.equal(headers["x-request-id"], "r1");
  assert.equal(headers["x-forwarded-for"], "203.0.113.9");
  assert.equal(headers["x-forwarded-proto"], "http");
  assert.match(headers["traceparent"] ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  for (const absent of ["cookie", "x-unlisted", "x_user_id", "x-app-name", "x-hop"])
    assert.equal(headers[absent], undefined, absent);
});

test("no header of the platform's table passes from a caller to a backend", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream(echo);
  const names = platformHeaderNames.flatMap((name) => [name, name.replaceAll("-", "_")]);
  await proxy.start(app({ url, api: { forwardHeaders: [...names, "x-listed"], routes: [route("/**")] } }));
  const headers = Object.fromEntries([...names, "x-listed"].map((name) => [name, "forged"]));
  const seen = (await proxy.fetch("/api/apps/demo/x", { headers })).json()["headers"] as Record<string, string>;
  assert.equal(seen["x-listed"], "forged");
  for (const name of names) assert.notEqual(seen[name], "forged", name);
});

test("hop-by-hop headers and the session cookie are not returned; redirects are returned and not followed", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream((_, response) => {
    response.writeHead(302, [
      ["Location", "http://169.254.169.254/latest"],
      ["Set-Cookie", "identity_session=stolen; Path=/"],
      ["Set-Cookie", "own=1"],
      ["Connection", "X-Internal"],
      ["X-Internal", "1"],
    ] as unknown as string[]);
    response.end();
  });
  await proxy.start(app({ url, api: { routes: [route("/**")] } }));
  const { status, headers } = await proxy.fetch("/api/apps/demo/x");
  assert.equal(status, 302);
  assert.equal(headers.location, "http://169.254.169.254/latest");
  assert.deepEqual(headers["set-cookie"], ["own=1; Path=/api/apps/demo"]);
  assert.equal(headers["x-internal"], undefined);
});

test("a redirection is refused if the request says so, and other responses are not", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, status > 300 ? { location: "/graphql" } : {}).end();
  });
  await proxy.start(app({ url, api: { routes: [route("/**")] } }));
  const headers = { "x-appserver-redirects": "refuse" };
  const seen = await Promise.all(
    [200, 301, 302, 303, 304, 307, 308].map((status) => proxy.fetch(`/api/apps/demo/${status}`, { headers })),
  );
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200, 502, 502, 502, 304, 502, 502],
  );
  assert.equal(seen[1]?.headers.location, undefined);
  assert.equal((await proxy.logged(7)).filter(({ reasonId }) => reasonId === "upstream_redirected").length, 5);
  assert.equal((await proxy.fetch("/api/apps/demo/307")).status, 307);
});

test("what a backend names by its own addresses is below the app's base for callers, and the backend learns the base", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream((request, response) => {
    const { host, via, "x-forwarded-prefix": prefix = "none" } = request.headers;
    response.writeHead(307, {
      location: `https://${host}${request.url}/`,
      "content-location": "/inner/items/1",
      link: "</s.css>; rel=preload",
      refresh: "5; url=/x",
      "x-seen": `${prefix} ${via}`,
    });
    response.end();
  });
  const routes = [route("/**")];
  await proxy.start(
    app({ name: "stripped", url: `${url}/inner`, api: { basePath: "/v1", routes } }),
    app({ name: "whole", url, api: { stripBasePath: false, routes } }),
  );
  const seen = async (path: string) => {
    const { headers } = await proxy.fetch(path, { headers: { via: "1.0 edge", "x-forwarded-prefix": "/forged" } });
    return ["location", "content-location", "link", "refresh", "x-seen"].map((name) => headers[name]);
  };
  assert.deepEqual(await seen("/api/apps/stripped/v1/items"), [
    "/api/apps/stripped/v1/items/",
    "/api/apps/stripped/v1/items/1",
    "</api/apps/stripped/v1/s.css>; rel=preload",
    "5; url=/api/apps/stripped/v1/x",
    "/api/apps/stripped/v1 1.0 edge, 1.1 appserver",
  ]);
  assert.deepEqual(await seen("/api/apps/whole/items"), [
    "/api/apps/whole/items/",
    "/inner/items/1",
    "</s.css>; rel=preload",
    "5; url=/x",
    "none 1.0 edge, 1.1 appserver",
  ]);
});

test("bodies stream both ways, with a known length and without", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream((request, response) => {
    response.writeHead(200, {
      "x-framing": request.headers["transfer-encoding"] ?? `length ${request.headers["content-length"]}`,
    });
    request.pipe(response);
  });
  await proxy.start(app({ url, api: { maxBodyBytes: 4_000_000, routes: [route("/**", { methods: ["POST"] })] } }));
  const body = Buffer.alloc(3_000_000, "abc");
  const known = await proxy.fetch("/api/apps/demo/x", { method: "POST", body, headers: { "content-length": "3000000" } });
  assert.deepEqual([known.headers["x-framing"], known.body.length], ["length 3000000", 3_000_000]);
  const chunked = await proxy.fetch("/api/apps/demo/x", { method: "POST", body, headers: { "transfer-encoding": "chunked" } });
  assert.deepEqual([chunked.headers["x-framing"], chunked.body.length], ["chunked", 3_000_000]);
});

test("a backend's response before the end of a body reaches a client that closes its connection", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream((_, response) => response.writeHead(401, { connection: "close" }).end("no"));
  await proxy.start(app({ url, api: { routes: [route("/x", { methods: ["POST"] })] } }));
  const length = 4_000_000;
  const head = `POST /api/apps/demo/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\nx`;
  const seen = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.write(head));
    socket.on("data", (data) => {
      if (text === "") socket.write(Buffer.alloc(length - 1));
      text += data.toString("latin1");
    });
    socket.on("end", () => resolve(text)).on("error", (error) => resolve(`${error.message} after ${text}`));
  });
  assert.match(seen, /^HTTP\/1\.1 401 .*no/s);
});

test("a body over the limit is 413, declared or not, and the connection survives a small one", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream(echo);
  await proxy.start(app({ url, api: { maxBodyBytes: 10, routes: [route("/**", { methods: ["POST"] })] } }));
  const declared = await proxy.fetch("/api/apps/demo/x", {
    method: "POST",
    body: "x".repeat(11),
    headers: { "content-length": "11" },
  });
  assert.deepEqual([declared.status, declared.json()["code"]], [413, "INVALID_REQUEST"]);
  const chunked = await proxy.fetch("/api/apps/demo/x", {
    method: "POST",
    body: Buffer.alloc(2_000_000),
    headers: { "transfer-encoding": "chunked" },
  });
  assert.equal(chunked.status, 413);
  assert.deepEqual(
    (await proxy.logged(2)).map(({ reasonId }) => reasonId),
    ["body_too_large", "body_too_large"],
  );
});

test("Expect: 100-continue gets a response only when the body is needed", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream(echo);
  await proxy.start(
    app({
      url,
      api: { routes: [route("/open", { methods: ["POST"] }), route("/shut", { methods: ["POST"], isPublic: false })] },
    }),
  );
  const ask = (path: string) =>
    new Promise<{ continued: boolean; status: number | undefined }>((resolve, reject) => {
      let continued = false;
      const headers = { expect: "100-continue", "content-length": "2" };
      const request = httpRequest({ port: proxy.port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
      request.on("continue", () => {
        continued = true;
        request.end("hi");
      });
      request.on("response", (response) => {
        response.resume();
        resolve({ continued, status: response.statusCode });
        if (!continued) request.destroy();
      });
      request.on("error", reject);
      request.flushHeaders();
    });
  assert.deepEqual(await ask("/api/apps/demo/open"), { continued: true, status: 200 });
  assert.deepEqual(await ask("/api/apps/demo/shut"), { continued: false, status: 401 });
});

test("HEAD, 204 and 304 have no content", async (t) => {
  const proxy = await proxyTo(t);
  const url = await proxy.upstream((request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { "content-length": request.method === "HEAD" ? "5" : "0", etag: '"e"' });
    response.end();
  });
  await proxy.start(app({ url, api: { routes: [route("/*")] } }));
  const head = await proxy.fetch("/api/apps/demo/200", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers["content-length"], head.body], [200, "5", ""]);
  assert.deepEqual((await proxy.fetch("/api/apps/demo/204")).headers["content-length"], undefined);
  const unmodified = await proxy.fetch("/api/apps/demo/304");
  assert.deepEqual([unmodified.status, unmodified.headers.etag, unmodified.body], [304, '"e"', ""]);
});

test("events of a stream arrive when they are sent", async (t) => {
  const proxy = await proxyTo(t);
  let send: (event: string) => void = () => {};
  const url = await proxy.upstream((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    send = (event) => response.write(event);
  });
  await proxy.start(app({ url, api: { routes: [route("/events", { timeoutMs: 1_000 })] } }));
  await new Promise<void>((resolve, reject) => {
    const request = httpRequest({ port: proxy.port, host: "127.0.0.1", path: "/api/apps/demo/events", agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      // Only the headers have arrived. An event stream may be silent for longer than the timeout.
      setTimeout(() => send("data: 1\n\n"), 1_500);
      response.on("data", (chunk) => {
        assert.equal(String(chunk), "data: 1\n\n");
        request.destroy();
        resolve();
      });
    });
    request.end();
  });
});

test("upstream failures: refused and reset are 502, slow is 504, each with its reason", async (t) => {
  const proxy = await proxyTo(t);
  const slow = await proxy.upstream(() => {});
  const resetting = await proxy.upstream((request) => request.socket.resetAndDestroy());
  const garbage = createTcpServer((socket) => socket.end("SSH-2.0-nonsense\r\n")).listen(0, "127.0.0.1");
  t.after(() => garbage.close());
  await new Promise((resolve) => garbage.once("listening", resolve));
  const api = { routes: [route("/x")] };
  await proxy.start(
    app({ name: "refused", url: "http://127.0.0.1:1", api }),
    app({ name: "resetting", url: resetting, api }),
    app({ name: "garbage", url: `http://127.0.0.1:${(garbage.address() as AddressInfo).port}`, api }),
    app({ name: "slow", url: slow, api: { routes: [route("/x", { timeoutMs: 80 })] } }),
  );
  let logged = 0;
  for (const [name, status, code, reason] of [
    ["refused", 502, "UPSTREAM_ERROR", "upstream_unreachable"],
    ["resetting", 502, "UPSTREAM_ERROR", "upstream_reset"],
    ["garbage", 502, "UPSTREAM_ERROR", "upstream_protocol"],
    ["slow", 504, "UPSTREAM_TIMEOUT", "upstream_timeout"],
  ] as const) {
    const answer = await proxy.fetch(`/api/apps/${name}/x`);
    assert.deepEqual([name, answer.status, answer.json()["code"]], [name, status, code]);
    logged += 1;
    assert.equal((await proxy.logged(logged)).at(-1)?.["reasonId"], reason, name);
  }
});

test("an upstream that dies after its headers, or stalls, breaks the client's connection", async (t) => {
  const proxy = await proxyTo(t);
  const dying = await proxy.upstream((_, response) => {
    response.writeHead(200).write("half");
    setTimeout(() => response.socket?.resetAndDestroy(), 10);
  });
  const stalling = await proxy.upstream((_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
  });
  const api = { routes: [route("/x", { timeoutMs: 80 })] };
  await proxy.start(app({ name: "dying", url: dying, api }), app({ name: "stalling", url: stalling, api }));
  await assert.rejects(proxy.fetch("/api/apps/dying/x"), { code: "ECONNRESET" });
  await assert.rejects(proxy.fetch("/api/apps/stalling/x"), { code: "ECONNRESET" });
});

test("garbage after a complete response affects neither it nor the next one", async (t) => {
  const proxy = await proxyTo(t);
  const trailing = createTcpServer((socket) => {
    socket.on("data", () =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
    );
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  t.after(() => trailing.close());
  await new Promise((resolve) => trailing.once("listening", resolve));
  await proxy.start(
    app({ url: `http://127.0.0.1:${(trailing.address() as AddressInfo).port}`, api: { routes: [route("/x")] } }),
  );
  for (let i = 0; i < 3; i++) assert.equal((await proxy.fetch("/api/apps/demo/x")).body, "ok");
});

test("when a client disconnects, its upstream request is aborted", async (t) => {
  const proxy = await proxyTo(t);
  const aborted = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const url = await proxy.upstream((request) => {
    arrived.resolve();
    request.socket.on("close", () => aborted.resolve());
  });
  await proxy.start(app({ url, api: { routes: [route("/x")] } }));
  const request = httpRequest({ port: proxy.port, host: "127.0.0.1", path: "/api/apps/demo/x", agent: false }).on(
    "error",
    () => {},
  );
  request.end();
  await arrived.promise;
  request.destroy();
  await aborted.promise;
  const [line] = await proxy.logged(1);
  assert.deepEqual([line?.["status"], line?.["reasonId"]], [499, "client_gone"]);
});

test("an endless response is paused for a client that does not read", async (t) => {
  const proxy = await proxyTo(t);
  let sent = 0;
  const url = await proxy.upstream((_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const pump = (): void => {
      do sent += chunk.length;
      while (response.write(chunk) && sent < 1e9);
    };
    response.on("drain", pump).on("error", () => {});
    pump();
  });
  await proxy.start(app({ url, api: { routes: [route("/x")] } }));
  const socket = connect(proxy.port, "127.0.0.1").pause();
  socket.write("GET /api/apps/demo/x HTTP/1.1\r\nHost: x\r\n\r\n");
  let before = -1;
  for (let i = 0; i < 200 && (sent === 0 || sent !== before); i++) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  socket.destroy();
  assert.ok(sent > 0 && sent < 64 * 1024 * 1024, `${sent} bytes were read for a client that reads none`);
});

test("a client that reads slowly gets its complete response, however long that takes", async (t) => {
  const proxy = await proxyTo(t);
  const size = 32 * 1024 * 1024;
  const url = await proxy.upstream((_, response) => response.end(Buffer.alloc(size)));
  await proxy.start(app({ url, api: { routes: [route("/x", { timeoutMs: 1_000 })] } }));
  const received = await new Promise<number>((resolve, reject) => {
    const request = httpRequest({ port: proxy.port, host: "127.0.0.1", path: "/api/apps/demo/x", agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      let length = 0;
      response.on("error", reject).on("end", () => resolve(length));
      // Several timeouts pass before the first byte is read.
      setTimeout(() => response.on("data", (chunk: Buffer) => (length += chunk.length)), 3_000);
    });
    request.end();
  });
  assert.equal(received, size);
});
