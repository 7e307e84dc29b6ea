import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatTraceparent, newTraceparent, parseTraceparent, traceIdOf } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

describe("traceparent", () => {
  test("reads and writes version 00", () => {
    const header = `00-${traceId}-${spanId}-01`;
    assert.deepEqual(parseTraceparent(header), { traceId, spanId, isSampled: true });
    assert.equal(formatTraceparent({ traceId, spanId, isSampled: true }), header);
    assert.equal(parseTraceparent(`00-${traceId}-${spanId}-fe`)?.isSampled, false);
    assert.equal(traceIdOf(header), traceId);
  });

  test("reads later versions by their first four fields (W3C Trace Context §4.3)", () => {
    for (const more of ["", "-", "-what-the-future-will-be-like"]) {
      assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01${more}`), { traceId, spanId, isSampled: true });
    }
    assert.equal(parseTraceparent(`cc-${traceId}-${spanId}-01.more`), undefined);
  });

  test("a malformed header counts as a missing one", () => {
    const malformed = [
      "",
      `00-${traceId}-${spanId}`,
      `00-${traceId}-${spanId}-01-more`,
      `ff-${traceId}-${spanId}-01`,
      `00-${"0".repeat(32)}-${spanId}-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      ` 00-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}-01\r\nx-injected: 1`,
      `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    ];
    for (const header of [undefined, ...malformed]) assert.equal(parseTraceparent(header), undefined, header);
  });

  test("new ones differ and are not sampled", () => {
    const made = Array.from({ length: 2000 }, () => parseTraceparent(newTraceparent()));
    assert.ok(made.every((context) => context?.isSampled === false));
    assert.equal(new Set(made.map((context) => context?.traceId)).size, 2000);
    assert.equal(new Set(made.map((context) => context?.spanId)).size, 2000);
  });
});
