import assert from "node:assert/strict";
import test from "node:test";
import { nodeProblem } from "./needed-node.ts";

test("an older Node than the tests of an app need is named, and a newer one is not", () => {
  assert.equal(
    nodeProblem(">=22.18", "v20.20.2"),
    "The tests of this app need Node 22.18 or newer, and the path has v20.20.2.",
  );
  assert.match(nodeProblem(">=22.18", "v22.9.0") ?? "", /has v22\.9\.0/);
  assert.match(nodeProblem(">=22.18", undefined) ?? "", /has none/);
  for (const [needed, found] of [
    [">=22.18", "v22.18.0"],
    [">=22.18", "v26.1.0"],
    ["", "v20.0.0"],
  ] as const)
    assert.equal(nodeProblem(needed, found), undefined);
});
