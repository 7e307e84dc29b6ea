import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOfReader } from "./log-share.ts";

test("a caller has a share of the logs that a process reads, and all callers together have all", () => {
  const of = (caller: string, count: number): readonly string[] => Array.from({ length: count }, () => caller);
  assert.equal(refusalOfReader(of("user:a", 15), "user:a"), undefined);
  assert.match(refusalOfReader(of("user:a", 16), "user:a") ?? "", /^the caller reads 16 logs already/);
  assert.equal(refusalOfReader(of("user:a", 16), "user:b"), undefined);
  const all = ["a", "b", "c", "d"].flatMap((caller) => of(`user:${caller}`, 16));
  assert.match(refusalOfReader(all, "user:e") ?? "", /^64 logs are read already/);
});
