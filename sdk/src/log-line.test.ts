import assert from "node:assert/strict";
import { test } from "node:test";
import { currentTrace, runInTrace } from "./current-trace.ts";
import { logLine } from "./log-line.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

test("a line names the request and the trace of the work, also after a pause", async (t) => {
  const lines: Record<string, unknown>[] = [];
  t.mock.method(console, "log", (text: string) => lines.push(JSON.parse(text)));
  await runInTrace({ traceparent, requestId: "r1" }, async () => {
    await Promise.resolve();
    logLine("warn", "it is late", { minutes: 5, error: new Error("no clock"), size: 7n });
  });
  logLine("info", "idle");
  t.mock.restoreAll();
  const [first, second] = lines;
  assert.partialDeepStrictEqual(first, { level: "warn", msg: "it is late", minutes: 5, size: "7", requestId: "r1", traceId });
  assert.match(String(first?.["error"]), /^Error: no clock\n/);
  assert.deepEqual(Object.keys(second ?? {}), ["level", "time", "msg"]);
  assert.deepEqual(currentTrace(), { traceparent: undefined, requestId: undefined });
});
