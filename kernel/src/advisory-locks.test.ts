import assert from "node:assert/strict";
import { test } from "node:test";
import { advisoryLocks } from "./advisory-locks.ts";

test("every use has a different number", () => {
  const numbers = Object.values(advisoryLocks);
  assert.equal(new Set(numbers).size, numbers.length);
});
