import assert from "node:assert/strict";
import { test } from "node:test";
import { parseByteRange } from "./byte-range.ts";

const cases: readonly (readonly [string, number, ReturnType<typeof parseByteRange>])[] = [
  ["bytes=0-0", 10, { start: 0, end: 0 }],
  ["bytes=2-5", 10, { start: 2, end: 5 }],
  ["bytes=2-", 10, { start: 2, end: 9 }],
  ["bytes=2-99", 10, { start: 2, end: 9 }],
  ["bytes=-3", 10, { start: 7, end: 9 }],
  ["bytes=-99", 10, { start: 0, end: 9 }],
  ["bytes=10-", 10, "unsatisfiable"],
  ["bytes=-0", 10, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=-1", 0, "unsatisfiable"],
  ["bytes=5-2", 10, undefined],
  ["bytes=0-1,3-4", 10, undefined],
  ["bytes=-", 10, undefined],
  ["items=0-1", 10, undefined],
  ["bytes=a-b", 10, undefined],
];

for (const [header, size, expected] of cases) {
  test(`${header} of ${size} bytes`, () => assert.deepEqual(parseByteRange(header, size), expected));
}
