import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTarget, parseRedisUrl } from "./redis-target.ts";

test("a URL contains host, port, TLS, user, password and database", () => {
  assert.deepEqual(parseRedisUrl("redis://localhost:6379"), {
    host: "localhost",
    port: 6379,
    tls: false,
    username: undefined,
    password: undefined,
    database: 0,
  });
  assert.deepEqual(parseRedisUrl("rediss://us%40er:p%2Fw@[::1]:7000/12"), {
    host: "::1",
    port: 7000,
    tls: true,
    username: "us@er",
    password: "p/w",
    database: 12,
  });
  assert.equal(parseRedisUrl("redis://cache").port, 6379);
});

test("an invalid Redis URL is reported without the password", () => {
  for (const [url, expectation] of [
    ["localhost:6379", /begins with localhost:/],
    ["6379", /is not a URL/],
    ["http://:secret@cache", /expected redis:\/\//],
    ["redis://:secret@cache/first", /database first: expected a number/],
    ["redis://:secret@cache/0?timeout=5", /query/],
    ["redis://:100%@cache", /write it as %25/],
  ] as const) {
    assert.throws(
      () => parseRedisUrl(url),
      (error) => error instanceof RangeError && expectation.test(error.message) && !error.message.includes("secret"),
    );
  }
});

test("a target is shown without credentials", () => {
  assert.equal(describeTarget(parseRedisUrl("rediss://user:secret@[::1]/2")), "rediss://[::1]:6379/2");
});
