import assert from "node:assert/strict";
import { test } from "node:test";
import { Conditions } from "./conditions.ts";

test("conditions are numbered in their order, and none are true", () => {
  const where = new Conditions();
  assert.equal(where.text, "true");
  where.add("a = ?", 1);
  where.addFixed("b is null");
  where.add("(c = ? or d = ?)", "x");
  assert.equal(where.text, "a = $1 and b is null and (c = $2 or d = $2)");
  assert.deepEqual(where.values, [1, "x"]);
});
