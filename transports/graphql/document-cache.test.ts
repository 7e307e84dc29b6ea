import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentCache } from "./document-cache.ts";

test("the most recently used entries are kept, within the limit of bytes", () => {
  const cache = new DocumentCache<number>({ bytes: 30, bytesPerOwner: 30 });
  for (const [index, key] of ["a", "b", "c"].entries()) cache.set(key, index, "alice", 10);
  assert.equal(cache.get("a"), 0);
  cache.set("d", 3, "alice", 10);
  assert.deepEqual([cache.get("a"), cache.get("b"), cache.get("d"), cache.bytes], [0, undefined, 3, 30]);
  assert.equal(cache.grow("c", 15), false, "the oldest goes first, here itself");
  assert.deepEqual([cache.get("c"), cache.bytes], [undefined, 20]);
});

test("a caller with endless documents does not evict entries of other callers", () => {
  const cache = new DocumentCache<number>({ bytes: 100, bytesPerOwner: 40 });
  cache.set("console", 1, "bob", 40);
  for (let index = 0; index < 1_000; index += 1) cache.set(`q${index}`, index, "alice", 10);
  assert.deepEqual([cache.get("console"), cache.bytes], [1, 80]);
  cache.set("too large", 1, "alice", 41);
  assert.equal(cache.get("too large"), undefined);
  assert.equal(cache.bytes, 40);
});
