import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  AppError,
  BufferBudget,
  type Caller,
  LiveConnections,
  type RestRoute,
  type ServerSentEvent,
  SystemClock,
  silentLogger,
} from "@appserver/kernel";
import type { HandledRequest, RequestLog } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import type { HttpListener } from "../http/index.ts";
import { send, started } from "../test/http-listener-fixture.ts";
import { createRestListener } from "./index.ts";

const json = { "content-type": "application/json" };
const params = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
const body = { type: "object", required: ["values"], properties: { values: {}, count: { type: "integer" } } };

const strict = {
  type: "object",
  properties: { inner: { type: "object", additionalProperties: false } },
  additionalProperties: false,
};

const documentation = { operationId: "thing", summary: "Does a thing", tag: "things", responses: {} };
const noKeys = { begin: () => assert.fail(), complete: () => assert.fail(), fail: () => assert.fail() };

/** Yields 1 and 2, and waits until the signal aborts. */
async function* numbers(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  yield { id: "1", data: { number: 1 } };
  yield { id: "2", data: { number: 2 } };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

/** Yields without an end, whatever the signal says. */
async function* crowd(): AsyncGenerator<ServerSentEvent> {
  for (let number = 0; ; number += 1) {
    await new Promise(setImmediate);
    yield { id: String(number), data: {} };
  }
}

const routes: readonly RestRoute[] = [
  {
    method: "GET",
    url: "/api/v2/found",
    schema: { query: { type: "object", properties: { names: { type: "array", items: { type: "string" } } } } },
    documentation,
    handle: async ({ query }) => ({ status: 200, json: query }),
  },
  {
    method: "POST",
    url: "/api/v2/strict",
    schema: { body: strict },
    documentation,
    handle: async () => ({ status: 200, json: {} }),
  },
  {
    method: "GET",
    url: "/api/v2/numbers",
    schema: {},
    documentation,
    handle: async ({ signal }) => ({ status: 200, events: numbers(signal) }),
  },
  {
    method: "GET",
    url: "/api/v2/crowd",
    schema: {},
    documentation,
    handle: async () => ({ status: 200, events: crowd() }),
  },
  {
    method: "GET",
    url: "/api/v2/things/:id",
    schema: { params },
    documentation,
    handle: async (call) => ({ status: 200, headers: { etag: '"1"', vary: "Cookie" }, json: { params: call.params } }),
  },
  {
    method: "PUT",
    url: "/api/v2/things/:id",
    schema: { params, body },
    documentation,
    handle: async (call) => {
      if (call.header("if-match") !== undefined) return { status: 412, error: new AppError("CONFLICT", "changed") };
      return { status: 200, json: { body: call.body, caller: call.caller.kind } };
    },
  },
];

describe("REST routes", () => {
  let listener: HttpListener;
  let isKnown: boolean;
  const handled: HandledRequest[] = [];
  const clock = new SystemClock();
  const connections = new LiveConnections({ clock, logger: silentLogger });
  before(async () => {
    const authenticate = (): Caller => ({ kind: "user", id: "alice", displayName: "Alice" });
    const budget = new BufferBudget({ totalBytes: 4_000_000, unprovenBytes: 2_000_000 });
    isKnown = true;
    const reauthentication = () => () => {
      if (!isKnown) throw new AppError("AUTHENTICATION_FAILED", "the session has ended");
    };
    const requests: RequestLog = { add: (request) => void handled.push(request) };
    const others = { reauthentication, connections, idempotencyKeys: noKeys, budget, clock, logger: silentLogger, requests };
    listener = await started({ rest: await createRestListener({ ...others, routes, authenticate }) });
  });
  after(() => listener.stop());

  const put = (text: string, headers: Record<string, string> = json) =>
    send(listener, "/api/v2/things/1", { method: "PUT", headers }, text);

  test("parameters are decoded, and the response carries the handler's headers and the common ones", async () => {
    const headers = { origin: "https://console.example.com", "x-request-id": "r1" };
    const found = await send(listener, "/api/v2/things/a%2Fb%20%25", { headers });
    assert.deepEqual([found.status, found.text], [200, '{"params":{"id":"a/b %"}}']);
    const { etag, vary, "x-request-id": id, "cache-control": cache, "content-type": type } = found.headers;
    assert.deepEqual(
      [etag, vary, id, cache, type],
      ['"1"', "Origin, Cookie", "r1", "no-store", "application/json; charset=utf-8"],
    );
    assert.equal(found.headers["x-content-type-options"], "nosniff");
  });

  test("traces get what may change something and what failed, by the route, not what only reads", async () => {
    handled.length = 0;
    await send(listener, "/api/v2/things/secret");
    await put('{"values":{}}', { ...json, "x-request-id": "changed" });
    await send(listener, "/api/v2/things/1/more", { headers: { "x-request-id": "missing" } });
    await eventually(() => handled.length === 2);
    assert.deepEqual(
      handled.map(({ requestId, status, caller }) => [requestId, status, caller]),
      [
        ["changed", 200, "user:alice"],
        ["missing", 404, "anonymous"],
      ],
    );
    assert.equal(handled[0]?.pattern, "/api/v2/things/:id");
    assert.ok(handled.every(({ traceId }) => /^[0-9a-f]{32}$/.test(traceId)));
    assert.ok(!JSON.stringify(handled).includes("secret"));
  });

  test("HEAD is GET without a body, OPTIONS and 405 name the methods of the path", async () => {
    const head = await send(listener, "/api/v2/things/1", { method: "HEAD" });
    assert.deepEqual([head.status, head.text, head.headers["content-length"]], [200, "", "21"]);
    const options = await send(
      listener,
      "/api/v2/things/1",
      { method: "OPTIONS", headers: { "content-type": "text/odd", "content-length": "1" } },
      "x",
    );
    assert.deepEqual([options.status, options.headers.allow, options.text], [204, "GET, HEAD, PUT, OPTIONS", ""]);
    for (const method of ["POST", "DELETE", "PATCH", "PROPFIND"]) {
      const refused = await send(listener, "/api/v2/things/1", { method });
      assert.deepEqual([refused.status, refused.headers.allow], [405, "GET, HEAD, PUT, OPTIONS"], method);
    }
  });

  test("an unknown path is 404 for every method", async () => {
    for (const path of ["/api/v2/", "/api/v2/things", "/api/v2/things/", "/api/v2/things/1/more"]) {
      for (const method of ["GET", "PUT", "OPTIONS", "PROPFIND"]) {
        const { status, text } = await send(
          listener,
          path,
          { method, headers: { "content-type": "x", "content-length": "8" } },
          "not JSON",
        );
        assert.deepEqual([status, JSON.parse(text).error], [404, "no route has this path"], `${method} ${path}`);
      }
    }
  });

  test("a path that is not percent-encoded, or that holds a character that is never stored, is 400", async () => {
    for (const id of ["%zz", "a%00b"]) assert.equal((await send(listener, `/api/v2/things/${id}`)).status, 400, id);
  });

  test("a body that violates the schema is refused with its violations, and is not converted", async () => {
    for (const text of ["{}", "null", "[]", "1"]) {
      const { status, text: refusal } = await put(text);
      const violations = [{ field: "values", message: "is required" }];
      const error = 'the body must be an object with "values"';
      assert.deepEqual([status, JSON.parse(refusal)], [400, { error, code: "INVALID_REQUEST", details: { violations } }], text);
    }
    const refused = JSON.parse((await put('{"values":1,"count":"1"}')).text);
    assert.deepEqual(refused.details.violations, [{ field: "body.count", message: "must be integer" }]);
    const accepted = JSON.parse((await put('{"values":{"a":null},"other":1}')).text);
    assert.deepEqual(accepted, { body: { values: { a: null }, other: 1 }, caller: "user" });
  });

  test("a field that a strict schema does not have is named", async () => {
    for (const [text, field] of [
      ['{"typo":1}', "body.typo"],
      ['{"inner":{"typo":1}}', "body.inner.typo"],
    ] as const) {
      const refused = await send(listener, "/api/v2/strict", { method: "POST", headers: json }, text);
      assert.deepEqual([refused.status, JSON.parse(refused.text).error], [400, `${field} is unknown`]);
    }
  });

  test("an optional body may be absent, but not null", async () => {
    const post = (text: string, headers: Record<string, string>) =>
      send(listener, "/api/v2/strict", { method: "POST", headers }, text);
    assert.equal((await post("", {})).status, 200);
    const refused = await post("null", json);
    assert.deepEqual([refused.status, JSON.parse(refused.text).error], [400, "body must be object"]);
  });

  test("a parameter that the route does not have is named, also if it has none", async () => {
    const refused = await send(listener, "/api/v2/things/1?typo=1");
    assert.deepEqual([refused.status, JSON.parse(refused.text).error], [400, "query.typo is unknown"]);
  });

  test("a query with a text that is never stored is 400", async () => {
    assert.equal((await send(listener, "/api/v2/found?names=a&names=b")).text, '{"names":["a","b"]}');
    const refused = await send(listener, "/api/v2/found?names=a&names=b%00");
    assert.deepEqual([refused.status, JSON.parse(refused.text).error], [400, "names[1] must not contain a NUL character"]);
  });

  test("a body that cannot be read is refused", async () => {
    assert.equal((await put('{"values":', json)).status, 400);
    assert.equal((await put("")).status, 400);
    assert.equal((await put("{}", { "content-type": "text/plain" })).status, 415);
    assert.equal((await put("{}", {})).status, 415);
    assert.equal((await put("{}", { ...json, "content-encoding": "gzip" })).status, 415);
    assert.equal((await put("{}", { "content-type": "application/json; charset=latin1" })).status, 415);
    assert.equal((await put(JSON.stringify({ values: "x".repeat(1_048_577) }))).status, 413);
    assert.equal((await put(`${"[".repeat(200)}${"]".repeat(200)}`)).status, 400);
  });

  test("a stream that ends while events wait, and one that is asked for with HEAD, write nothing more", async () => {
    const { port } = listener.address();
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/crowd`);
    isKnown = false;
    connections.recheck(() => true);
    const text = await response.text();
    assert.match(text, /^retry: 2000\n\nid: 0\n/);
    isKnown = true;
    const head = await send(listener, "/api/v2/crowd", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  test("a stream has each event with its id, and ends with the session of its caller", async () => {
    const { port } = listener.address();
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/numbers`);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-store");
    let received = "";
    for await (const chunk of response.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (!received.includes("id: 2")) continue;
      isKnown = false;
      connections.recheck(() => true);
    }
    assert.equal(received, 'retry: 2000\n\nid: 1\ndata: {"number":1}\n\nid: 2\ndata: {"number":2}\n\n');
    isKnown = true;
    assert.equal((await send(listener, "/api/v2/numbers", { method: "HEAD" })).text, "");
  });

  test("an error of a handler has its own status", async () => {
    const { status, text } = await put('{"values":{}}', { ...json, "if-match": '"0"' });
    assert.deepEqual([status, JSON.parse(text)], [412, { error: "changed", code: "CONFLICT", details: {} }]);
  });
});
