import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./app-error.ts";
import { requireInputTexts } from "./require-input-texts.ts";

const problemOf = (input: unknown, memberName?: (key: string) => string): unknown => {
  try {
    requireInputTexts(input, { name: "input", ...(memberName && { memberName }) });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "INVALID_REQUEST");
    return error.violations[0];
  }
};
const nul = "must not contain a NUL character";

test("texts that can be stored pass, in every container", () => {
  const input = { a: ["é", "😀", ""], b: new Map([["k", { c: 1n, d: null, e: undefined, f: true }]]), g: "\u0001" };
  assert.equal(problemOf(input), undefined);
  assert.equal(problemOf(new Uint8Array([0, 0])), undefined);
});

test("the error names the place of the first text that cannot be stored", () => {
  assert.deepEqual(problemOf("a\0b"), { field: "input", message: nul });
  assert.deepEqual(problemOf({ webApp: { assets: [{}, { name: "\0" }] } }), { field: "webApp.assets[1].name", message: nul });
  assert.deepEqual(problemOf(["\0"]), { field: "input[0]", message: nul });
  const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  assert.deepEqual(problemOf({ webApp: { routeBase: "\ud800" } }, snake), {
    field: "web_app.route_base",
    message: "must not contain half of a surrogate pair",
  });
});

test("keys count as texts", () => {
  assert.deepEqual(problemOf({ a: { "x\0": 1 } }), { field: "a", message: `has a key that ${nul}` });
  assert.deepEqual(problemOf({ a: new Map([["x\0", 1]]) }), { field: "a", message: `has a key that ${nul}` });
});

test("a deep input does not exhaust the stack", () => {
  let deep: unknown = "\0";
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  assert.ok(problemOf(deep));
});

test("listeners add their own rules for objects", () => {
  const objectProblem = (value: object): string | undefined => ("bad" in value ? "must be good" : undefined);
  assert.throws(() => requireInputTexts({ a: [{ bad: 1 }] }, { name: "input", objectProblem }), {
    message: "a[0] must be good",
  });
});
