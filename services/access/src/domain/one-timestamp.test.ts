import assert from "node:assert/strict";
import { test } from "node:test";
import { timestampPattern } from "@appserver/contracts/signature";
import fc from "fast-check";
import { isOnlyReading } from "./one-timestamp.ts";

const stamp = "2026-01-31T12:00:00Z";
const bytes = (text: string): Uint8Array => Buffer.from(text);

test("one timestamp at the expected position is accepted", () => {
  assert.ok(isOnlyReading("/q?a=1", stamp, bytes("")));
  assert.ok(isOnlyReading("/q?a=1", stamp, bytes('{"at":"2026-01-31T12:00:01Z"}')));
  assert.ok(isOnlyReading("/q?n=1", "2026-01-31T12:00:00.123Z", bytes("plain")));
});

test("a second timestamp in a possible URL is refused", () => {
  assert.ok(!isOnlyReading(`/q?s=${stamp}`, stamp, bytes("")));
  assert.ok(!isOnlyReading("/q?s=", stamp, bytes(`${stamp}`)));
  assert.ok(!isOnlyReading("/q", stamp, bytes(`a=1&at=${stamp}`)));
  assert.ok(!isOnlyReading("/q?{", stamp, bytes("")));
});

test("at most one reading of a signed string is accepted", () => {
  const piece = fc.constantFrom(
    stamp,
    "2026-01-31T12:00:00.5Z",
    "2025-12-01T00:00:00Z",
    "2",
    "026-01-31T12:00:00Z",
    "/a?",
    "Z",
    "T12:00:00Z",
    ".5Z",
    "{",
    "&",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
      const signed = `/${pieces.join("")}`;
      const accepted = new Set<string>();
      for (let start = 1; start < signed.length; start++) {
        for (let end = start + 20; end <= Math.min(signed.length, start + 30); end++) {
          const timestamp = signed.slice(start, end);
          if (!timestampPattern.test(timestamp)) continue;
          if (isOnlyReading(signed.slice(0, start), timestamp, bytes(signed.slice(end)))) accepted.add(`${start}-${end}`);
        }
      }
      return accepted.size <= 1;
    }),
    { numRuns: 3_000 },
  );
});
