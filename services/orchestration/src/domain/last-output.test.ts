import assert from "node:assert/strict";
import { test } from "node:test";
import { keptOutput, lastOutput, placeOfError } from "./last-output.ts";

function lines(log: string): readonly string[] {
  return log.split("\n");
}

test("the last output of an app is its last error line, not the stack below it", () => {
  const node =
    "listening\nfile:///app/main.ts:3\nthrow new Error('x')\n      ^\n\nError: FOO is not configured\n    at main.ts:3:7\n\nNode.js v24.1.0\n";
  assert.equal(lastOutput(lines(node)), "Error: FOO is not configured");
  const python = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no port\n';
  assert.equal(lastOutput(lines(python)), "ValueError: no port");
  assert.equal(
    lastOutput(lines("panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3\nexit status 2\n")),
    "panic: boom",
  );
});

test("the place of an error is that above an uncaught one of Node, or the innermost one of a traceback of Python", () => {
  assert.equal(
    placeOfError(lines("up\nfile:///app/main.ts:3\nthrow 1\n^\n\nError: x\n    at a (/app/b.js:7:1)\n")),
    "/app/main.ts:3",
  );
  assert.equal(
    placeOfError(lines('Traceback:\n  File "/app/a.py", line 1\n  File "/app/b.py", line 22, in f\nValueError: x')),
    "/app/b.py:22",
  );
  assert.equal(placeOfError(lines("node:internal/x:3\nlistening at /app/socket\n")), undefined);
});

test("a log without an error line yields its last line, and an empty log yields nothing", () => {
  assert.equal(lastOutput(lines("one\ntwo\n\n")), "two");
  assert.equal(lastOutput(lines(" \n\n")), undefined);
});

test("control characters and long lines are removed from the error text", () => {
  assert.equal(lastOutput(lines("error: \u001b[31mred\u0000")), "error:  [31mred");
  assert.equal(lastOutput(lines(`error ${"x".repeat(500)}`))?.length, 301);
});

test("the last twenty lines are kept, each shortened to text that PostgreSQL stores", () => {
  const log = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  assert.deepEqual(keptOutput(log), log.slice(10));
  const [control, long] = keptOutput(["a\u0000b", `${"x".repeat(999)}\u{1f600}${"y".repeat(9)}`]);
  assert.equal(control, "a b");
  assert.deepEqual([long?.length, long?.isWellFormed()], [1_001, true]);
});
