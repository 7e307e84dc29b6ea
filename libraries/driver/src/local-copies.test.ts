import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalCopies } from "./local-copies.ts";

const flight = () => ({ value: Promise.resolve(undefined) });

function landed(copies: LocalCopies, key: string, value = "value"): void {
  const one = flight();
  copies.takeOff(key, one);
  copies.land(key, one, { value, expiresAt: 100 });
}

test("a copy is kept until it expires or is removed", () => {
  const copies = new LocalCopies(10_000);
  for (const key of ["a:1", "a:2", "b"]) landed(copies, key);
  assert.equal(copies.get("a:1", 99), "value");
  assert.equal(copies.get("a:1", 100), undefined);
  copies.forgetPrefix("a:");
  assert.equal(copies.get("a:2", 0), undefined);
  copies.forget("b");
  assert.equal(copies.get("b", 0), undefined);
});

test("a key removed while it was read is not kept", () => {
  const copies = new LocalCopies(10_000);
  for (const forget of [() => copies.forget("key"), () => copies.forgetPrefix("k")]) {
    const stale = flight();
    copies.takeOff("key", stale);
    forget();
    assert.equal(copies.flight("key"), undefined, "the next read reads from Redis");
    copies.land("key", stale, { value: "stale", expiresAt: 100 });
    assert.equal(copies.get("key", 0), undefined);
  }
});

test("an older read does not end a newer one", () => {
  const copies = new LocalCopies(10_000);
  const [older, newer] = [flight(), flight()];
  copies.takeOff("key", older);
  copies.forget("key");
  copies.takeOff("key", newer);
  copies.land("key", older, { value: "old", expiresAt: 100 });
  assert.equal(copies.flight("key"), newer);
  copies.land("key", newer, { value: "new", expiresAt: 100 });
  assert.equal(copies.get("key", 0), "new");
});

test("memory is bounded: the least recently used copies are dropped", () => {
  const copies = new LocalCopies(10_000);
  landed(copies, "used");
  for (let n = 0; n < 100; n += 1) {
    landed(copies, `key:${n}`, "x".repeat(100));
    assert.equal(copies.get("used", 0), "value");
  }
  assert.equal(copies.get("key:0", 0), undefined);
  assert.notEqual(copies.get("key:99", 0), undefined);
  landed(copies, "large", "x".repeat(10_000));
  assert.equal(copies.get("large", 0), undefined);
});
