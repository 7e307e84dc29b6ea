import assert from "node:assert/strict";
import { test } from "node:test";
import { containsId } from "./line-ids.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const requestId = "0199aaaa-0000-7000-8000-000000000001";
const ids = new Set([traceId, requestId, "1"]);

test("a line contains an id as a word: in JSON, at the end of a sentence, within a traceparent", () => {
  for (const line of [
    `{"msg":"request","requestId":"${requestId}"}`,
    `request ${requestId}.`,
    `trace=${traceId}`,
    `traceparent: 00-${traceId}-00f067aa0ba902b7-01`,
    "note 1 was stored",
  ])
    assert.ok(containsId(line, ids), line);
});

test("a part of another word is no id", () => {
  for (const line of ["", "note 12 was stored", `${requestId}0`, `x${traceId}`, traceId.slice(1), "0-1-2"])
    assert.ok(!containsId(line, ids), line);
});

test("a long line without an id takes little time", () => {
  const startedAt = performance.now();
  assert.ok(!containsId("-".repeat(16_384), ids));
  assert.ok(!containsId("-a".repeat(8_192), ids));
  assert.ok(performance.now() - startedAt < 1_000);
});
