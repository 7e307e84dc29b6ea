import assert from "node:assert/strict";
import { test } from "node:test";
import { ReadMemory, readTarget } from "./read-memory.ts";

const large = 1_000_000;

test("all sockets read into the same memory, of which nothing may be kept", () => {
  const [one, other] = [new ReadMemory(), new ReadMemory()];
  assert.equal(one.buffer, other.buffer);
  assert.equal(one.mayKeep(one.buffer.length), false);
});

test("a socket that reads a large body has memory of its own, and another one once it is kept", () => {
  const memory = new ReadMemory();
  const shared = memory.buffer;
  memory.use(readTarget(large, false));
  const own = memory.buffer;
  assert.notEqual(own, shared);
  memory.use(readTarget(large, false));
  assert.equal(memory.buffer, own);
  assert.equal(memory.mayKeep(own.length), true);
  memory.use(readTarget(large, true));
  assert.ok(memory.buffer !== own && memory.buffer !== shared);
  memory.use(readTarget(1, false));
  assert.equal(memory.buffer, shared);
});

test("a few bytes may not keep much memory", () => {
  const memory = new ReadMemory();
  memory.use(readTarget(large, false));
  assert.equal(memory.mayKeep(1), false);
});
