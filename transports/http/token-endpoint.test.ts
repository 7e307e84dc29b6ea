import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { tokenExchangeGrant, tokenExchangePath, tokenTypes } from "@appserver/contracts/command-line";
import { AppError } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { FakeClock, MapCache } from "@appserver/testing/kit";
import { send, started } from "../test/http-listener-fixture.ts";
import { type HttpListener, limitedExchange } from "./index.ts";
import type { LimitedExchange } from "./token-endpoint.ts";

const headers = { "content-type": "application/x-www-form-urlencoded" };
const form = { grant_type: tokenExchangeGrant, subject_token: "a.b.c", subject_token_type: tokenTypes.jwt };

describe("the token endpoint", () => {
  let listener: HttpListener;
  let clock: FakeClock;
  let limited: LimitedExchange;
  let fails: (() => Error) | undefined;
  let exchanged = 0;
  before(async () => {
    const trustedProxies = ["127.0.0.0/8"];
    listener = await started({ tokenExchange: (...given) => limited(...given), trustedProxies });
  });
  after(() => listener?.stop());
  beforeEach(() => {
    clock = new FakeClock();
    fails = undefined;
    exchanged = 0;
    const exchange = async () => {
      exchanged += 1;
      if (fails) throw fails();
      return { token: "asv_x", expiresInSeconds: 900 };
    };
    limited = limitedExchange(exchange, new MapCache(clock));
  });

  const post = async (address = "203.0.113.1") => {
    const sent = { method: "POST", headers: { ...headers, "x-forwarded-for": address } };
    const {
      status,
      text,
      headers: received,
    } = await send(listener, tokenExchangePath, sent, String(new URLSearchParams(form)));
    return { status, body: JSON.parse(text) as Readonly<Record<string, string>>, retryAfter: received["retry-after"] };
  };

  test("an error has the form of RFC 6749, and an outage is no refusal", async () => {
    const errors: readonly (readonly [Error, number, string])[] = [
      [new AppError("AUTHENTICATION_FAILED", "no trust"), 400, "invalid_grant"],
      [new AppError("INVALID_REQUEST", "no JWT"), 400, "invalid_request"],
      [new AppError("SERVICE_UNAVAILABLE", "no keys"), 503, "temporarily_unavailable"],
      [new DatabaseError("unavailable", "gone"), 503, "temporarily_unavailable"],
      [new AppError("RATE_LIMIT_EXCEEDED", "too many", { details: { retry_after: 60 } }), 429, "slow_down"],
      [new Error("the secret cause"), 500, "server_error"],
    ];
    for (const [error, status, name] of errors) {
      fails = () => error;
      const answer = await post();
      assert.deepEqual([answer.status, answer.body["error"]], [status, name]);
      assert.doesNotMatch(JSON.stringify(answer.body), /secret cause/);
      assert.equal(answer.retryAfter !== undefined, status === 503 || status === 429);
    }
  });

  test("requests of a network are limited before anything is done, and those of another one are not", async () => {
    for (let count = 0; count < 120; count += 1) assert.equal((await post()).status, 200);
    const { status, body, retryAfter } = await post();
    assert.deepEqual([status, body["error"], exchanged], [429, "slow_down", 120]);
    assert.ok(Number(retryAfter) >= 1);
    assert.equal((await post("198.51.100.1")).status, 200);
    await clock.advance(61_000);
    assert.equal((await post()).status, 200);
  });
});
