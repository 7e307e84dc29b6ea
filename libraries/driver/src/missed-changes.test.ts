import assert from "node:assert/strict";
import { test } from "node:test";
import { MissedChanges } from "./missed-changes.ts";

test("missed changes are returned once", () => {
  const missed = new MissedChanges();
  missed.addNames(["a", "b"]);
  missed.addNames(["a"]);
  missed.addPrefix("p:");
  assert.equal(missed.isEmpty, false);
  assert.deepEqual(missed.take(), { names: ["a", "b"], prefixes: ["p:"] });
  assert.equal(missed.isEmpty, true);
});

test("too many of them become a change of every value", () => {
  const missed = new MissedChanges();
  for (let n = 0; n < 10_001; n += 1) missed.addNames([`key:${n}`]);
  assert.deepEqual(missed.take(), { names: [], prefixes: [""] });
});
