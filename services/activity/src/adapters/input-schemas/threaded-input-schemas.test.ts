import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { silentLogger } from "@appserver/kernel";
import { ThreadedInputSchemas } from "./threaded-input-schemas.ts";

/** Applies itself twice to each level of the input, so that its time cannot be predicted from the schema's size. */
const recursive = JSON.stringify({
  $defs: {
    a: {
      anyOf: [{ properties: { n: { $ref: "#/$defs/a" } } }, { properties: { n: { $ref: "#/$defs/a" } } }],
      not: { required: ["n"] },
    },
  },
  $ref: "#/$defs/a",
});
const deepInput = (levels: number): string => `${'{"n":'.repeat(levels)}{}${"}".repeat(levels)}`;
/** Each level fails, so both of its branches check it, and the errors of all of them are kept. */
const large = JSON.stringify({
  $defs: {
    a: {
      anyOf: [
        { properties: { n: { $ref: "#/$defs/a" } }, required: ["n"] },
        { required: ["n"], properties: { n: { $ref: "#/$defs/a" } } },
      ],
    },
  },
  $ref: "#/$defs/a",
});
/** Takes as long, but `not` drops the errors, so that it needs no memory: only time ends it. */
const slowly = JSON.stringify({
  $defs: {
    a: {
      not: {
        anyOf: [
          { properties: { n: { $ref: "#/$defs/a" } }, required: ["n"] },
          { required: ["n"], properties: { n: { $ref: "#/$defs/a" } } },
        ],
      },
    },
  },
  $ref: "#/$defs/a",
});

describe("schemas in threads", () => {
  const schemas = new ThreadedInputSchemas(silentLogger, { deadlineMs: 1_500, penaltyMs: 60_000 });
  after(() => schemas.close());

  test("check schemas and inputs", async () => {
    const schema = JSON.stringify({ properties: { a: { type: "string" } } });
    assert.equal(await schemas.problem(schema), undefined);
    assert.equal(await schemas.problem("{"), "is not JSON");
    assert.equal(await schemas.problem(recursive), undefined);
    assert.deepEqual(await schemas.violations(schema, '{"a":1}'), [{ field: "input.a", message: "must be string" }]);
    assert.deepEqual(await schemas.violations(schema, '{"a":"b"}'), []);
  });

  test("an input that takes too long is refused; other inputs are checked during and after it", async () => {
    const harmless = JSON.stringify({ type: "object" });
    const slow = schemas.violations(slowly, deepInput(100));
    const others = Array.from({ length: 20 }, () => schemas.violations(harmless, "1"));
    for (const found of await Promise.all(others)) assert.deepEqual(found, [{ field: "input", message: "must be object" }]);
    assert.deepEqual(await slow, [
      { field: "input", message: "cannot be checked against the schema: takes more than 1500 ms" },
    ]);
    const again = (await schemas.violations(slowly, "{}"))[0]?.message ?? "";
    assert.match(again, /recently took more time or memory than is allowed/);
    assert.deepEqual(await schemas.violations(harmless, "{}"), []);
  });

  test("an input that takes too much memory is refused", async () => {
    const patient = new ThreadedInputSchemas(silentLogger, { deadlineMs: 60_000, patienceMs: 120_000 });
    assert.deepEqual(await patient.violations(large, deepInput(40)), [
      { field: "input", message: "cannot be checked against the schema: takes more memory than is allowed" },
    ]);
    await patient.close();
  });

  test("an input that could not be checked in time because the thread had no processor is not refused", async () => {
    const busy = new ThreadedInputSchemas(silentLogger, { deadlineMs: 60_000, patienceMs: 200 });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await assert.rejects(busy.violations(slowly, deepInput(100)), /too busy to validate inputs; retry later/);
    await busy.close();
  });

  test("an input of 3 MB is checked", async () => {
    const schema = JSON.stringify({ items: { type: "integer", maximum: 5 }, uniqueItems: true });
    const input = JSON.stringify(Array.from({ length: 400_000 }, (_, index) => index));
    const found = await schemas.violations(schema, input);
    assert.ok(found.length > 0 && found.length <= 21);
  });

  test("an idle thread is ended, and another is started for the next schema", async () => {
    const frugal = new ThreadedInputSchemas(silentLogger, { idleMs: 1 });
    const started: Promise<unknown>[] = [];
    const onWorker = (worker: Worker): void => void started.push(once(worker, "exit"));
    process.on("worker", onWorker);
    for (const schema of ["{}", '{"type":"null"}']) {
      assert.equal(await frugal.problem(schema), undefined);
      await started.at(-1);
    }
    process.off("worker", onWorker);
    assert.equal(started.length, 2);
    await frugal.close();
  });

  test("nothing is checked after close", async () => {
    const closed = new ThreadedInputSchemas(silentLogger);
    assert.equal(await closed.problem("{}"), undefined);
    await closed.close();
    await assert.rejects(closed.problem('{"type":"null"}'), { code: "SERVICE_UNAVAILABLE" });
  });
});
