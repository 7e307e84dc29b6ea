import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaCostProblem } from "./schema-cost.ts";

/** Builds a schema where each level applies the next one twice. */
function doubling(levels: number, branches: (reference: object) => object): object {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [`a${level}`, branches({ $ref: `#/$defs/a${level + 1}` })]),
  );
  return { $ref: "#/$defs/a0", $defs: { ...$defs, [`a${levels}`]: { type: "string" } } };
}

for (const [keyword, branches] of Object.entries({
  anyOf: (next: object) => ({ anyOf: [next, next] }),
  oneOf: (next: object) => ({ oneOf: [next, next] }),
  allOf: (next: object) => ({ allOf: [next, next] }),
  "not and if": (next: object) => ({ not: next, if: next }),
  "if, then, else": (next: object) => ({ if: next, else: next }),
  dependentSchemas: (next: object) => ({ dependentSchemas: { a: next, b: next } }),
  dependencies: (next: object) => ({ dependencies: { a: next, b: next } }),
  "a reference next to a branch": (next: object) => ({ ...next, not: next }),
})) {
  test(`branches that double are refused: ${keyword}`, () => {
    assert.equal(schemaCostProblem(doubling(3, branches)), undefined);
    assert.match(schemaCostProblem(doubling(18, branches)) ?? "", /applies more than 1000 schemas to one value/);
  });
}

test("names are references too", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 18 }, (_, level) => [
      `x${level}`,
      { $anchor: `a${level}`, anyOf: [{ $ref: `#a${level + 1}` }, { $ref: `#a${level + 1}` }] },
    ]),
  );
  assert.equal(typeof schemaCostProblem({ $ref: "#a0", $defs }), "string");
});

test("a schema that refers to itself in place is refused; one that recurs through its values is accepted", () => {
  assert.match(schemaCostProblem({ $ref: "#" }) ?? "", /refers to itself/);
  assert.match(
    schemaCostProblem({ $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } }) ?? "",
    /itself/,
  );
  assert.equal(
    schemaCostProblem({ properties: { in: { $ref: "#" } }, items: { anyOf: [{ $ref: "#" }, { $ref: "#" }] } }),
    undefined,
  );
});

test("size and depth are limited", () => {
  assert.match(schemaCostProblem({ enum: Array.from({ length: 5_001 }, () => ({})) }) ?? "", /more than 5000 objects/);
  let deep: object = {};
  for (let depth = 0; depth < 50_000; depth += 1) deep = { not: deep };
  assert.match(schemaCostProblem(deep) ?? "", /deeper than 100 levels/);
});
