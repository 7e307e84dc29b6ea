import assert from "node:assert/strict";
import { test } from "node:test";
import { AppQueues } from "./app-queues.ts";

test("one app's work runs in order, that of others at the same time, up to the limit, and a failure ends nothing else", async () => {
  const queues = new AppQueues(2);
  const log: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const run = (app: string, step: string): Promise<void> =>
    queues.run(app, async () => {
      log.push(step);
      const gate = Promise.withResolvers<void>();
      gates.set(step, gate);
      await gate.promise;
    });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const failing = assert.rejects(run("a", "a1"), /broken/);
  const others = [run("a", "a2"), run("b", "b1"), run("c", "c1")];
  await turn();
  assert.deepEqual(log, ["a1", "b1"]);
  gates.get("a1")?.reject(new Error("broken"));
  await failing;
  await turn();
  assert.deepEqual(log, ["a1", "b1", "c1"]);
  gates.get("b1")?.resolve();
  await turn();
  assert.deepEqual(log, ["a1", "b1", "c1", "a2"]);
  for (const step of ["c1", "a2"]) gates.get(step)?.resolve();
  await Promise.all(others);
});
