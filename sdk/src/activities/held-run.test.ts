import assert from "node:assert/strict";
import { test } from "node:test";
import { ActivityRunSchema, type WorkRequest } from "@appserver/contracts/proto/appserver/v2/activity";
import { create, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ActivityHandler } from "./activity.ts";
import { HeldRun } from "./held-run.ts";

async function resultOf(handler: ActivityHandler): Promise<unknown> {
  const message = create(ActivityRunSchema, { id: "1", attempt: 1 });
  const sent: WorkRequest[] = [];
  const run = new HeldRun(message, (request) => sent.push(request));
  await run.work(message, handler);
  const [request] = sent;
  assert.equal(request?.message.case, "result");
  const { outcome } = request.message.value;
  return outcome.case === "output" ? toJson(ValueSchema, outcome.value) : outcome;
}

test("the output is the returned value as JSON; values that JSON omits do not fail the attempt", async () => {
  const at = new Date(0);
  assert.deepEqual(await resultOf(() => ({ n: 7, left: undefined, list: [undefined], at })), {
    n: 7,
    list: [null],
    at: at.toISOString(),
  });
  for (const nothing of [undefined, null, () => {}]) assert.equal(await resultOf(() => nothing), null);
});

test("a returned value that JSON cannot represent fails the attempt", async () => {
  const outcome = (await resultOf(() => 7n)) as { case: string };
  assert.equal(outcome.case, "error");
});
