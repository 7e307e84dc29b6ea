import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AppError, BufferBudget } from "@appserver/kernel";
import type { SelfServiceRequest, SelfServiceResponse, Window } from "@appserver/kernel/ports";
import { Echo, send, started } from "../test/http-listener-fixture.ts";
import { type HttpListener, selfServiceHandler } from "./index.ts";

async function* bytesOf(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text);
}

describe("/self-service/*", () => {
  const received: SelfServiceRequest[] = [];
  const counted: string[] = [];
  const budget = new BufferBudget({ totalBytes: 1_000_000 });
  let response: () => Promise<SelfServiceResponse>;
  let listener: HttpListener;
  before(async () => {
    const handler = selfServiceHandler({
      upstream: {
        cookiePrefixes: ["csrf_token", "ory_"],
        send: (request) => {
          received.push(request);
          return response();
        },
      },
      cache: {
        slidingWindow: (key: string, windows: readonly Window[]) => {
          counted.push(`${key} ${windows.map(({ limit }) => limit).join(",")}`);
          return { allowed: true, window: 0, remaining: 1, resetMs: 0 };
        },
      },
      budget,
      sessionCookieName: "own",
    });
    listener = await started({
      selfService: handler,
      hasSelfService: true,
      graphql: new Echo().graphql,
      trustedProxies: ["127.0.0.0/8"],
    });
  });
  after(() => listener?.stop());
  const ok = async (): Promise<SelfServiceResponse> => ({ status: 200, headers: {}, body: bytesOf("{}") });

  test("passes the needed headers and the provider's cookies, and what it knows of the client", async () => {
    response = ok;
    const headers = {
      accept: "application/json",
      "accept-language": "de",
      authorization: "Bearer secret",
      connection: "close, cookie",
      cookie: "theme=dark; own=s3; csrf_token_1f=x; ory_kratos_continuity=y; owner=z; xory_=q",
      "x-user-id": "forged",
      "true-client-ip": "1.2.3.4",
      "x-real-ip": "1.2.3.4",
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "platform.example",
      "x-request-id": "r1",
    };
    assert.equal((await send(listener, "/self-service/login/flows?id=1", { headers })).text, "{}");
    assert.deepEqual(received.splice(0), [
      {
        method: "GET",
        target: "/self-service/login/flows?id=1",
        headers: {
          accept: "application/json",
          "accept-language": "de",
          cookie: "own=s3; csrf_token_1f=x; ory_kratos_continuity=y",
          "x-forwarded-for": "203.0.113.9",
          "x-forwarded-proto": "https",
          "x-forwarded-host": "platform.example",
          "x-request-id": "r1",
        },
      },
    ]);
  });

  test("returns redirects and cookies as they are, and no other header of the provider", async () => {
    response = async () => ({
      status: 303,
      headers: {
        location: "https://idp.example/authorize",
        "set-cookie": ["a=1; HttpOnly", "b=2"],
        "access-control-allow-origin": "*",
        "clear-site-data": '"*"',
        connection: "keep-alive, x",
        "strict-transport-security": "max-age=1",
        "transfer-encoding": "chunked",
      },
      body: bytesOf(""),
    });
    const { status, headers } = await send(listener, "/self-service/methods/oidc/callback/example.com?code=a%2Fb");
    assert.deepEqual([status, headers.location], [303, "https://idp.example/authorize"]);
    assert.deepEqual(headers["set-cookie"], ["a=1; HttpOnly", "b=2"]);
    for (const name of ["access-control-allow-origin", "clear-site-data", "strict-transport-security"])
      assert.equal(headers[name], undefined, name);
    received.length = 0;
  });

  test("counts attempts and flows of a client separately, and buffers one body at a time", async () => {
    response = ok;
    counted.length = 0;
    await send(listener, "/self-service/login?flow=1", { method: "POST" }, "method=password");
    await send(listener, "/self-service/login/browser", { headers: { "x-forwarded-for": "2001:db8::1" } });
    assert.equal(String(received[0]?.body), "method=password");
    assert.deepEqual(counted, ["self-service:attempts:127.0.0.1 30,300", "self-service:flows:2001:db8:0:0 300"]);
    assert.equal(budget.usedBytes, 0);
    received.length = 0;
  });

  test("refuses more requests than the provider can have in progress, and accepts them afterwards", async () => {
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    response = async () => {
      await held;
      return ok();
    };
    const first = Array.from({ length: 64 }, () => send(listener, "/self-service/login/browser"));
    while (received.length < 64) await new Promise(setImmediate);
    const { status, headers } = await send(listener, "/self-service/login/browser");
    assert.deepEqual([status, headers["retry-after"]], [429, "1"]);
    finish();
    assert.ok((await Promise.all(first)).every((each) => each.status === 200));
    response = ok;
    assert.equal((await send(listener, "/self-service/login/browser")).status, 200);
    received.length = 0;
  });

  test("says that the provider does not respond, and ends a response that breaks off", async () => {
    response = () => Promise.reject(new AppError("SERVICE_UNAVAILABLE", "the identity provider does not respond"));
    const { status, text } = await send(listener, "/self-service/login/browser");
    assert.deepEqual([status, JSON.parse(text).error], [503, "the identity provider does not respond"]);
    response = async () => ({
      status: 200,
      headers: { "content-length": "100" },
      // biome-ignore lint/correctness/useYield: the body breaks off before its first part.
      body: (async function* (): AsyncIterable<Buffer> {
        throw new Error("reset");
      })(),
    });
    await assert.rejects(send(listener, "/self-service/login/browser"));
  });
});

test("a platform without pages of the provider does not have /self-service", async () => {
  const listener = await started({ graphql: new Echo().graphql });
  assert.equal((await send(listener, "/self-service/login/browser")).status, 404);
  await listener.stop();
});
