import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inexactNumberPath, isExactNumber } from "./exact-numbers.ts";

test("a number survives if a double holds it", () => {
  const exact = [
    "0",
    "-0",
    "1.0",
    "0.1",
    "1.50",
    "100",
    "9007199254740992",
    "9007199254740994",
    "1e23",
    "1E+2",
    "5e-324",
    "0e999",
  ];
  const doubles = ["0.10000000000000001", "3.1415926535897931", "1.7976931348623157e308", "1234567890123456800", "-1.25e-3"];
  const inexact = ["9007199254740993", "-9007199254740993", "1234567890123456789", "1e400", "-1e400", "1e-400", "2e-324"];
  const tooPrecise = ["0.1234567890123456789", "1.00000000000000000001", "9007199254740993.0", "90071992547409930e-1"];
  for (const literal of [...exact, ...doubles]) assert.equal(isExactNumber(literal), true, literal);
  for (const literal of [...inexact, ...tooPrecise]) assert.equal(isExactNumber(literal), false, literal);
});

test("the place of the first number that does not survive is found", () => {
  const big = "1234567890123456789";
  for (const [text, path] of [
    [big, ""],
    [`{"a":{"b":[1,{"c":2},[${big}]]}}`, "a.b[2][0]"],
    [`{"x": "${big}", "y" : 1, "z\\"1e9" : ${big}}`, 'z"1e9'],
    [`[["1e400", {}], {"k":[]}, -1e400]`, "[2]"],
    [`{"a":[1e400],"b":1}`, "a[0]"],
    [`{"${big}":1,"e":"\\\\","f":[1.5e3,true,null]}`, undefined],
  ] as const)
    assert.equal(inexactNumberPath(text), path, text);
});

test("whatever JavaScript writes survives, and a megabyte of numbers is read in linear time", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(inexactNumberPath(JSON.stringify(value)), undefined)));
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isExactNumber(String(value))));
  assert.equal(inexactNumberPath(`[1e1,${"0".repeat(1_000_000)}1]`), undefined);
  assert.equal(isExactNumber("1".repeat(1_000_000)), false);
});
