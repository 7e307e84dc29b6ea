import assert from "node:assert/strict";
import { test } from "node:test";
import { timerProblems } from "./timers.ts";

const problemsOf = (path: string, text: string): readonly string[] => timerProblems([{ path, text }], {});

test("timers and races of production code are refused", () => {
  for (const line of [
    "const timer = setTimeout(end, 5);",
    "globalThis.setInterval(look, 5);",
    "await Promise.race([work, late]);",
    'import { setTimeout as sleep } from "node:timers/promises";',
  ]) {
    const path = "services/hooks/src/index.ts";
    assert.deepEqual(problemsOf(path, `// first\n${line}\n`), [`${path}:2: ${line}`]);
  }
});

test("similar names, comments and other timers are accepted", () => {
  for (const line of [
    "session.setTimeout(limit, end);",
    "// setTimeout(end, 5) would keep the process",
    " * Promise.race([work, late])",
    "resetTimeout(5);",
    "await clock.sleep(5);",
    'import { setImmediate } from "node:timers/promises";',
  ]) {
    assert.deepEqual(problemsOf("drivers/cache/redis/src/link.ts", line), []);
  }
});

test("tests, tools and the kernel's concurrency folder are not checked", () => {
  for (const path of [
    "kernel/src/concurrency/within.ts",
    "kernel/src/clock.ts",
    "kernel/src/lifecycle.test.ts",
    "services/hooks/test/subscriber.ts",
    "drivers/broker/broker.suite.ts",
    "drivers/broker/broker-fixture.ts",
    "testing/kit/eventually.ts",
    "tools/services/up.ts",
    "examples/notes/src/server.ts",
  ]) {
    assert.deepEqual(problemsOf(path, "setTimeout(end, 5);"), []);
  }
});

test("an exception is accepted while its file needs it, and refused afterwards", () => {
  const path = "sdk/src/app-settings.ts";
  const exceptions = { [path]: "the reason" };
  assert.deepEqual(timerProblems([{ path, text: "setTimeout(end, 5);" }], exceptions), []);
  for (const files of [[{ path, text: "end();" }], []]) {
    assert.deepEqual(timerProblems(files, exceptions), [`${path}: has no timer and no race; remove it from the exceptions`]);
  }
});
