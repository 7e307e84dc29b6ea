import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "@appserver/kernel";
import { OutdatedAppError } from "../domain/outdated-app.ts";
import { onCurrentApp } from "./on-current-app.ts";

const failing = (errors: Error[]) => {
  let runs = 0;
  const step = async (): Promise<number> => {
    const error = errors[runs++];
    if (error) throw error;
    return runs;
  };
  return { step, runs: () => runs };
};

test("a step is repeated if its app was changed concurrently", async () => {
  const { step } = failing([new OutdatedAppError("a"), new OutdatedAppError("a")]);
  assert.equal(await onCurrentApp(step), 3);
});

test("it gives up with CONFLICT if other writers always come first", async () => {
  const { step, runs } = failing(Array.from({ length: 9 }, () => new OutdatedAppError("a")));
  await assert.rejects(onCurrentApp(step), { code: "CONFLICT", message: /^a was changed/ });
  assert.equal(runs(), 5);
});

test("a CONFLICT of another kind is thrown at once", async () => {
  const { step, runs } = failing([new AppError("CONFLICT", "another key")]);
  await assert.rejects(onCurrentApp(step), { message: "another key" });
  assert.equal(runs(), 1);
});
