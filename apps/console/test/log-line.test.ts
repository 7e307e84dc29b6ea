import assert from "node:assert/strict";
import test from "node:test";
import { parseLine, printedAt } from "../web/parts/log-line.ts";

test("a line of JSON has a level, a message, other fields and its request; any other line is a message", () => {
  assert.deepEqual(parseLine('{"level":40,"time":1,"msg":"low","requestId":"a-1","sheets":3,"tray":{"id":2}}'), {
    level: "warning",
    message: "low",
    fields: 'sheets=3 tray={"id":2}',
    requestId: "a-1",
  });
  assert.deepEqual(parseLine("[info] \u001b[32mready\u001b[0m"), {
    level: "info",
    message: "[info] ready",
    fields: "",
    requestId: undefined,
  });
  assert.equal(parseLine('{"severity":"ERROR","message":"no error"}').level, "error");
  assert.equal(parseLine('{"level":"info","msg":"2 errors: error"}').level, "info");
  assert.equal(parseLine('{"msg":"x","requestId":"<script>"}').requestId, undefined);
  assert.equal(parseLine('{"no":"message"}').message, '{"no":"message"}');
  assert.equal(parseLine("0 errors in this line").level, undefined);
});

test("a line was printed at its own time if that is near", () => {
  const noticed = "2026-01-01T00:00:01.000Z";
  assert.equal(printedAt('{"time":"2026-01-01T00:00:00.500Z"}', noticed), Date.parse("2026-01-01T00:00:00.500Z"));
  assert.equal(printedAt('{"time":"2020-01-01T00:00:00.500Z"}', noticed), Date.parse(noticed));
});
