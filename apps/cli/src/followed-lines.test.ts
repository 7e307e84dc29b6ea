import assert from "node:assert/strict";
import { test } from "node:test";
import { FollowedLines } from "./followed-lines.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** Adds lines as `instance second text`. Returns those that are new. */
function added(lines: FollowedLines, ...given: readonly string[]): readonly string[] {
  return given.filter((each) => {
    const [instance = "", second, text = ""] = each.split(" ");
    return lines.add({ time: at(Number(second)), stream: "STDOUT", text, container: "app", generation: 1, instance });
  });
}

test("a continued log begins after the last line of the slowest instance, and repeats none of another one", () => {
  const lines = new FollowedLines();
  assert.equal(lines.since, undefined);
  added(lines, "a 1 x", "a 5 y", "b 2 x", "a 5 y");
  lines.interrupted();
  assert.equal(lines.since, "2026-01-01T00:00:01.999Z");
  const continued = ["a 3 w", "a 5 y", "a 5 y", "a 5 y", "a 6 z", "b 2 x", "b 3 w", "c 2 x"];
  assert.deepEqual(added(lines, ...continued), ["a 5 y", "a 6 z", "b 3 w", "c 2 x"]);
  lines.interrupted();
  assert.deepEqual(added(lines, "a 6 z", "b 2 x", "b 3 w", "c 2 x", "c 2 y"), ["c 2 y"]);
});

test("an instance that has printed nothing for long does not make the log begin there", () => {
  const lines = new FollowedLines();
  added(lines, "a 1 x", "b 3000 x");
  lines.interrupted();
  assert.equal(lines.since, "2026-01-01T00:48:59.999Z");
});

test("a line is not lost that has the time and the text of one that was printed before the connection was lost and after it", () => {
  const lines = new FollowedLines();
  added(lines, "a 1 x");
  assert.deepEqual(added(lines, "a 1 x"), ["a 1 x"], "the same line again, on one connection");
  lines.interrupted();
  assert.deepEqual(added(lines, "a 1 x", "a 1 x", "a 1 x"), ["a 1 x"]);
});
