import assert from "node:assert/strict";
import { test } from "node:test";
import { ShownLines } from "./shown-lines.ts";

const message = "notes 0.1.0 did not start: Error: out of order\n  at server.js:1\n  at other.js:2";

test("a failure has the lines that the log has not shown", () => {
  const shown = new ShownLines();
  assert.equal(shown.without(message), message);
  assert.equal(shown.add("    at server.js:1"), "    at server.js:1");
  assert.equal(shown.without(message), "notes 0.1.0 did not start: Error: out of order\n  at other.js:2");
});

test("lines of long ago are not remembered", () => {
  const shown = new ShownLines();
  shown.add("at server.js:1");
  for (let number = 0; number < 200; number += 1) shown.add(String(number));
  assert.equal(shown.without(message), message);
});
