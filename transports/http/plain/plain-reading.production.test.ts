import assert from "node:assert/strict";
import { test } from "node:test";
import { compareReadings } from "../../test/reading-cases.ts";

test("Node's parser reads what is plain in the same way, in a hundred thousand drawn connections", async () => {
  const plain = await compareReadings(100_000);
  assert.ok(plain > 25_000, `only ${plain} requests were plain`);
});
