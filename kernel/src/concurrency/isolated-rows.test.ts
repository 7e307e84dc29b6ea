import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { silentLogger } from "../logger.ts";
import { DatabaseError } from "../platform-ports/database.ts";
import { IsolatedRows } from "./isolated-rows.ts";

function isolatedRows() {
  const clock = new FakeClock();
  const logged: string[] = [];
  const at = (level: string) => (fields: object, message?: string) =>
    logged.push(`${level} ${JSON.stringify({ ...fields, err: "" })} ${message}`);
  const logger = { ...silentLogger, warn: at("warn"), debug: at("debug"), info: at("info") };
  const pauses = { firstMs: 100, maxMs: 300 };
  const rows = new IsolatedRows<string>({
    what: "test: a step",
    keyOf: (row) => row,
    fields: (row) => ({ row }),
    pauses,
    clock,
    logger,
  });
  return { rows, clock, logged };
}

test("a row that fails is left out for a while and logged once, and the others are done in every turn", async () => {
  const { rows, clock, logged } = isolatedRows();
  const done: string[] = [];
  let isPoisoned = true;
  const step = (row: string): string => {
    if (row === "b" && isPoisoned) throw new Error("poisoned");
    done.push(row);
    return row;
  };
  assert.deepEqual(await rows.run(["a", "b", "c"], step), ["a", "c"]);
  await clock.advance(99);
  assert.deepEqual(await rows.run(["a", "b", "c"], step), ["a", "c"]);
  for (const pauseMs of [1, 200, 300]) {
    await clock.advance(pauseMs);
    await rows.run(["a", "b", "c"], step);
  }
  assert.equal(logged.filter((line) => line.startsWith("warn")).length, 1);
  assert.equal(logged[0], 'warn {"err":"","row":"b","failures":1,"retryMs":100} test: a step failed; retrying');
  assert.equal(logged.filter((line) => line.startsWith("debug")).length, 3);
  isPoisoned = false;
  await clock.advance(300);
  assert.deepEqual(await rows.run(["b"], step), ["b"]);
  assert.equal(logged.at(-1), 'info {"row":"b","failures":4,"err":""} test: a step works again');
  assert.equal(done.filter((row) => row === "c").length, 5);
});

test("rows that store their failures are postponed in the store", async () => {
  const clock = new FakeClock();
  const postponed: unknown[] = [];
  const rows = new IsolatedRows<{ readonly id: string; readonly failures: number }>({
    what: "test: a step",
    keyOf: ({ id }) => id,
    fields: ({ id }) => ({ id }),
    pauses: { firstMs: 100, maxMs: 300 },
    stored: {
      failuresOf: ({ failures }) => failures,
      postpone: async ({ id }, error, retryMs) => void postponed.push([id, (error as Error).message, retryMs]),
    },
    clock,
    logger: silentLogger,
  });
  const step = ({ id }: { readonly id: string }): string => (id === "a" ? assert.fail("poisoned") : id);
  for (const failures of [0, 1])
    assert.deepEqual(
      await rows.run(
        [
          { id: "a", failures },
          { id: "b", failures: 0 },
        ],
        step,
      ),
      ["b"],
    );
  assert.deepEqual(postponed, [
    ["a", "poisoned", 100],
    ["a", "poisoned", 200],
  ]);
});

test("a row that was not in the turn after its pause begins again", async () => {
  const { rows, clock, logged } = isolatedRows();
  const fail = (): never => assert.fail("poisoned");
  await rows.run(["a"], fail);
  await rows.run([], fail);
  assert.deepEqual(rows.leftOut, ["a"]);
  await clock.advance(100);
  await rows.run([], fail);
  await rows.run(["a"], fail);
  assert.equal(logged.filter((line) => line.startsWith("warn")).length, 2);
});

test("rows that are done together are done alone if one of them fails", async () => {
  const { rows, clock } = isolatedRows();
  const steps: string[] = [];
  const step = (each: readonly string[]): void => {
    steps.push(each.join(""));
    if (each.includes("b")) assert.fail("poisoned");
  };
  await rows.runTogether(["a", "b", "c"], step);
  await rows.runTogether(["b", "d"], step);
  await rows.runTogether(["b"], step);
  await clock.advance(100);
  await rows.runTogether(["b", "e"], step);
  assert.deepEqual(steps, ["abc", "a", "b", "c", "d", "be", "b", "e"]);
});

test("an unreachable database ends the turn", async () => {
  const { rows } = isolatedRows();
  const seen: string[] = [];
  const step = (row: string): never => {
    seen.push(row);
    throw new DatabaseError("unavailable", "away");
  };
  await assert.rejects(rows.run(["a", "b"], step), DatabaseError);
  assert.deepEqual(seen, ["a"]);
});
