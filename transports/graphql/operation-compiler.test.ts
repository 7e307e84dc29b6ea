import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { buildSchema, parse } from "graphql";
import { OperationCompiler } from "./operation-compiler.ts";

test("compilation may take 100 ms at once, and 2 % of the time", () => {
  let now = 0;
  let step = 0;
  const clock = {
    now: () => now,
    sleep: async () => {},
    /** Each reading advances the clock: a compilation, which reads it twice, takes 30 ms. */
    monotonic: () => {
      now += step;
      return now;
    },
  };
  const compiler = new OperationCompiler(buildSchema("type Query { a: Int }"), clock, silentLogger);
  let compiled = 0;
  for (; compiler.hasTime && compiled < 100; compiled += 1) {
    step = 30;
    assert.ok(compiler.compile(parse("{ a }"), undefined));
    step = 0;
  }
  assert.equal(compiled, 4);
  now += 500;
  assert.equal(compiler.hasTime, false, "it owes 20 ms");
  now += 1_000;
  assert.equal(compiler.hasTime, true);
});
