import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { AppError, BufferBudget, silentLogger } from "@appserver/kernel";
import type { ProvisioningRequest, ProvisioningResponse, Window } from "@appserver/kernel/ports";
import { Echo, send, started } from "../test/http-listener-fixture.ts";
import { type HttpListener, provisioningHandler } from "./index.ts";

const token = "the-token-of-scim";
const authorization = `Bearer ${token}`;
const json = "application/scim+json; charset=utf-8";
const error = "urn:ietf:params:scim:api:messages:2.0:Error";

describe("/scim/v2/*", () => {
  const received: ProvisioningRequest[] = [];
  const counted: string[] = [];
  const budget = new BufferBudget({ totalBytes: 1_000_000 });
  let allowed = true;
  let response: () => Promise<ProvisioningResponse>;
  let listener: HttpListener;
  before(async () => {
    const handler = provisioningHandler({
      upstream: {
        accepts: (given) => given === token,
        send: (request) => {
          received.push(request);
          return response();
        },
      },
      cache: {
        slidingWindow: (key: string, windows: readonly Window[]) => {
          counted.push(`${key} ${windows.map(({ limit }) => limit).join(",")}`);
          return { allowed, window: 0, remaining: 1, resetMs: 1_500 };
        },
      },
      budget,
      logger: silentLogger,
    });
    const graphql = new Echo().graphql;
    const trustedProxies = ["127.0.0.0/8"];
    listener = await started({ provisioning: handler, hasProvisioning: true, graphql, trustedProxies });
  });
  beforeEach(() => {
    received.length = 0;
    counted.length = 0;
    allowed = true;
    response = async () => ({ status: 200, body: { a: 1 } });
  });
  after(() => listener?.stop());

  function refused({ status, text, headers }: Awaited<ReturnType<typeof send>>, expected: number): void {
    assert.equal(status, expected, text);
    assert.equal(headers["content-type"], "application/scim+json");
    const { schemas, status: said, detail } = JSON.parse(text);
    assert.deepEqual([schemas, said], [[error], String(expected)]);
    assert.ok(detail.length > 0);
    assert.equal(received.length, 0);
  }

  test("passes target, body, version and the address that the client used", async () => {
    response = async () => ({ status: 201, body: { id: "1" }, location: "https://a/1", etag: 'W/"1"' });
    const headers = {
      authorization,
      "content-type": json,
      "if-match": 'W/"3"',
      "x-forwarded-proto": "https",
      "x-forwarded-host": "platform.example",
      "x-request-id": "r1",
    };
    const target = "/scim/v2/Users?filter=userName%20eq%20%22ada%22&x=[a]";
    const answer = await send(listener, target, { method: "POST", headers }, '{"a":1}');
    assert.deepEqual(
      received.map((request) => ({ ...request, body: String(request.body) })),
      [
        {
          method: "POST",
          target: target.slice("/scim/v2".length),
          origin: "https://platform.example",
          ifMatch: 'W/"3"',
          body: '{"a":1}',
        },
      ],
    );
    assert.deepEqual([answer.status, answer.text], [201, '{"id":"1"}']);
    const { "content-type": type, location, etag, "cache-control": cache, "x-request-id": id } = answer.headers;
    assert.deepEqual([type, location, etag, cache, id], ["application/scim+json", "https://a/1", 'W/"1"', "no-store", "r1"]);
    assert.equal(budget.usedBytes, 0);
    assert.deepEqual(counted, [], "a client with the token is not counted");
  });

  test("a response without a body has none", async () => {
    response = async () => ({ status: 204 });
    const { status, text, headers } = await send(listener, "/scim/v2/Users/1", {
      method: "DELETE",
      headers: { authorization },
    });
    assert.deepEqual([status, text, headers["content-type"]], [204, "", undefined]);
  });

  test("only the bearer token counts: no cookie, no token in the target, no other scheme", async () => {
    const attempts: [string, Record<string, string>][] = [
      ["/scim/v2/Users", {}],
      ["/scim/v2/Users", { authorization: "Bearer wrong" }],
      ["/scim/v2/Users", { authorization: token }],
      ["/scim/v2/Users", { authorization: `Basic ${Buffer.from(`:${token}`).toString("base64")}` }],
      ["/scim/v2/Users", { authorization: `Bearer ${token}, Bearer x` }],
      ["/scim/v2/Users", { cookie: `appserver_session=${token}; token=${token}` }],
      ["/scim/v2/Users", { "x-scim-token": token, "proxy-authorization": authorization }],
      [`/scim/v2/Users?access_token=${token}&token=${token}`, {}],
      ["/scim/v2/ServiceProviderConfig", {}],
      ["/scim/v2/none", {}],
    ];
    for (const [target, headers] of attempts) {
      const answer = await send(listener, target, { headers });
      refused(answer, 401);
      assert.equal(answer.headers["www-authenticate"], 'Bearer realm="scim"');
      assert.ok(!answer.text.includes(token));
    }
    assert.deepEqual(new Set(counted), new Set(["provisioning:refused:127.0.0.1 30,300"]));
    allowed = false;
    const guessed = await send(listener, "/scim/v2/Users", { headers: { authorization: "Bearer wrong" } });
    refused(guessed, 429);
    assert.equal(guessed.headers["retry-after"], "2");
    assert.equal((await send(listener, "/scim/v2/Users", { headers: { authorization } })).status, 200);
  });

  test("a body is read only from a client with the token, and has a limit", async () => {
    const large = `{"a":"${"x".repeat(70_000)}"}`;
    const post = (headers: Record<string, string>, body = "{}") =>
      send(listener, "/scim/v2/Users", { method: "POST", headers }, body);
    refused(await post({ "content-type": json }, large), 401);
    refused(await post({ authorization, "content-type": json }, large), 413);
    refused(await post({ authorization, "content-type": json, "content-encoding": "gzip" }), 415);
    refused(await post({ authorization }), 415);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      refused(await post({ authorization, "content-type": type }), 415);
    assert.equal((await post({ authorization, "content-type": "application/json" })).status, 200);
    assert.equal(budget.usedBytes, 0);
  });

  test("paths and methods that SCIM does not have", async () => {
    const headers = { authorization };
    for (const target of ["/scim/v2/", "/scim/v2/Users/..%2fx", "/scim/v2/Users//1", `/scim/v2/Users/${"x".repeat(9_000)}`])
      refused(await send(listener, target, { headers }), 404);
    for (const target of ["/scim/v2/Me", "/scim/v2/Bulk?x=1"]) refused(await send(listener, target, { headers }), 501);
    const wrong = await send(listener, "/scim/v2/Users", { method: "OPTIONS", headers });
    refused(wrong, 405);
    assert.equal(wrong.headers["allow"], "GET, POST, PUT, PATCH, DELETE");
  });

  test("an outage is 503 in the form of SCIM, and an unexpected error says nothing", async () => {
    response = () => Promise.reject(new AppError("SERVICE_UNAVAILABLE", "the database does not respond"));
    const outage = await send(listener, "/scim/v2/Users", { headers: { authorization } });
    assert.deepEqual([outage.status, JSON.parse(outage.text).detail], [503, "the database does not respond"]);
    assert.equal(outage.headers["retry-after"], "5");
    response = () => Promise.reject(new Error("secret"));
    const failure = await send(listener, "/scim/v2/Users", { headers: { authorization } });
    assert.deepEqual(JSON.parse(failure.text), { schemas: [error], status: "500", detail: "internal error" });
  });

  test("refuses more requests than can be in progress, and accepts them afterwards", async () => {
    const held = Promise.withResolvers<void>();
    response = async () => {
      await held.promise;
      return { status: 204 };
    };
    const get = () => send(listener, "/scim/v2/Users", { headers: { authorization } });
    const first = Array.from({ length: 32 }, get);
    while (received.length < 32) await new Promise(setImmediate);
    assert.equal((await get()).status, 429);
    held.resolve();
    assert.ok((await Promise.all(first)).every((each) => each.status === 204));
    assert.equal((await get()).status, 204);
  });
});

test("a platform whose accounts are not made by SCIM does not have /scim", async () => {
  const listener = await started({ graphql: new Echo().graphql });
  assert.equal((await send(listener, "/scim/v2/Users", { headers: { authorization } })).status, 404);
  await listener.stop();
});
