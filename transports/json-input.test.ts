import assert from "node:assert/strict";
import { test } from "node:test";
import { isAppError } from "@appserver/kernel";
import { parseJson } from "./http/json-body.ts";
import { nestsTooDeeply, requireJsonInput } from "./json-input.ts";

const nested = (depth: number, open = "[", close = "]"): string => `${open.repeat(depth)}${close.repeat(depth)}`;
const isRefused = (error: unknown): boolean => isAppError(error, "INVALID_REQUEST");

test("JSON that nests too deeply is refused before it is parsed, and brackets in texts do not count", () => {
  assert.deepEqual(parseJson(nested(100), "the body"), JSON.parse(nested(100)));
  assert.throws(() => parseJson(nested(200), "the body"), isRefused);
  assert.equal(nestsTooDeeply(`{"a":${nested(400_000)}`), true);
  assert.equal(nestsTooDeeply(nested(50, '{"a":[', "]}")), false);
  assert.equal(nestsTooDeeply(JSON.stringify([nested(500), '"[[[', "\\", `\\"${nested(300)}`])), false);
  assert.equal(nestsTooDeeply('"never ends [[['), false);
});

test("a JSON value may hold 20,000 lists and objects, 100 levels deep, and texts that can be stored", () => {
  requireJsonInput({ list: Array.from({ length: 19_000 }, () => []) }, "the body");
  for (const value of [
    Array.from({ length: 20_001 }, () => ({})),
    JSON.parse(nested(103)),
    { a: "x\u0000" },
    { "\u0000": 1 },
    "\ud800",
  ])
    assert.throws(() => requireJsonInput(value, "the body"), isRefused);
});

test("a number of JSON that would change is refused with its place", () => {
  const place = (text: string) => (error: unknown) =>
    isAppError(error, "INVALID_REQUEST") && error.violations[0]?.field === text && error.message.startsWith(`${text} must be`);
  assert.throws(() => parseJson('{"data":{"ids":[1,1234567890123456789]}}', "the body"), place("data.ids[1]"));
  assert.throws(() => parseJson("1e400", "the body"), place("the body"));
  assert.deepEqual(parseJson('{"data":["1234567890123456789",0.1]}', "the body"), { data: ["1234567890123456789", 0.1] });
});
