import assert from "node:assert/strict";
import { test } from "node:test";
import { lastOutput } from "./last-output.ts";

test("the last output of an app is its last error line, not the stack below it", () => {
  const node =
    "listening\nfile:///app/main.ts:3\nthrow new Error('x')\n      ^\n\nError: FOO is not configured\n    at main.ts:3:7\n\nNode.js v24.1.0\n";
  assert.equal(lastOutput(node), "Error: FOO is not configured");
  const python = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no port\n';
  assert.equal(lastOutput(python), "ValueError: no port");
  assert.equal(lastOutput("panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3\nexit status 2\n"), "panic: boom");
});

test("a log without an error line yields its last line, and an empty log yields nothing", () => {
  assert.equal(lastOutput("one\ntwo\n\n"), "two");
  assert.equal(lastOutput(" \n\n"), undefined);
});

test("control characters and long lines are removed from the error text", () => {
  assert.equal(lastOutput("error: \u001b[31mred\u0000"), "error:  [31mred");
  assert.equal(lastOutput(`error ${"x".repeat(500)}`)?.length, 301);
});
