import assert from "node:assert/strict";
import { test } from "node:test";
import { repeatedLines } from "./read-logs.ts";

test("lines that come again are recognised by their times, in each stream", () => {
  const isRepeated = repeatedLines();
  const seen = (stream: "stdout" | "stderr", times: readonly string[]): readonly string[] =>
    times.filter((time) => !isRepeated({ stream, time }));
  assert.deepEqual(seen("stdout", ["1", "2", "2", "3"]), ["1", "2", "2", "3"]);
  assert.deepEqual(seen("stderr", ["1", "5"]), ["1", "5"]);
  assert.deepEqual(seen("stdout", ["1", "2", "3", "4", "4"]), ["4", "4"]);
  assert.deepEqual(seen("stderr", ["4", "5", "6"]), ["6"]);
});
