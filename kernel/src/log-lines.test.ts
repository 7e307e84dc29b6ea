import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSplitter, logTime, logTimeOf, maxLogLineBytes } from "./log-lines.ts";

const textsOf = (splitter: LineSplitter, ...texts: readonly (string | Buffer)[]): string[] =>
  texts.flatMap((text) => splitter.push(Buffer.from(text as string))).map(({ text }) => text);

test("lines and characters may be split between pieces, and empty lines count", () => {
  const splitter = new LineSplitter();
  const letter = Buffer.from("é");
  assert.deepEqual(textsOf(splitter, "on", "e\n\ntwo\r\nth", letter.subarray(0, 1), letter.subarray(1), "\nrest"), [
    "one",
    "",
    "two",
    "thé",
  ]);
  assert.deepEqual(splitter.end(), [{ text: "rest", isCut: false }]);
  assert.deepEqual(splitter.end(), []);
});

test("a line of the maximum length is whole, a longer one is cut between characters", () => {
  const splitter = new LineSplitter();
  assert.deepEqual(splitter.push(Buffer.from(`${"x".repeat(maxLogLineBytes)}\n`)), [
    { text: "x".repeat(maxLogLineBytes), isCut: false },
  ]);
  for (const [before, kept] of [
    ["x", (maxLogLineBytes - 4) / 4],
    ["xxxx", (maxLogLineBytes - 4) / 4],
  ] as const) {
    const [line] = splitter.push(Buffer.from(`${before}${"😀".repeat(maxLogLineBytes)}\n`));
    assert.deepEqual(line, { text: `${before}${"😀".repeat(kept)}`, isCut: true });
  }
});

test("an endless line needs no more memory than a line of the maximum length", () => {
  const splitter = new LineSplitter();
  for (let piece = 0; piece < 1_000; piece += 1) assert.deepEqual(splitter.push(Buffer.alloc(65_536, "x")), []);
  assert.deepEqual(splitter.push(Buffer.from("\nnext\n")), [
    { text: "x".repeat(maxLogLineBytes), isCut: true },
    { text: "next", isCut: false },
  ]);
});

test("times become comparable texts", () => {
  assert.equal(logTime("2026-11-22T10:00:00Z"), "2026-11-22T10:00:00.000000000Z");
  assert.equal(logTime("2026-11-22T10:00:00.12Z"), "2026-11-22T10:00:00.120000000Z");
  assert.equal(logTime("2026-11-22T12:00:00.123456789+02:00"), "2026-11-22T10:00:00.123456789Z");
  for (const text of ["", "yesterday", "2026-13-22T10:00:00Z", "2026-11-22 10:00:00Z"]) assert.equal(logTime(text), undefined);
  assert.equal(logTimeOf(Date.UTC(2026, 10, 22), 42), "2026-11-22T00:00:00.000000042Z");
});
