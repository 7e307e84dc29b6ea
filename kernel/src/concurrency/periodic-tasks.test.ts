import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { silentLogger } from "../logger.ts";
import { PeriodicTasks } from "./periodic-tasks.ts";

test("each task runs at its own interval, also while another one hangs or fails, until the stop has waited for them", async () => {
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const hanging = Promise.withResolvers<void>();
  const runs = { often: 0, failing: 0 };
  const periodic = new PeriodicTasks({
    name: "test",
    clock,
    logger: { ...silentLogger, warn: (fields: object, message?: string) => logged.push({ ...fields, message }) },
    tasks: [
      { name: "hanging", intervalMs: 10, run: () => hanging.promise },
      { name: "often", intervalMs: 10, run: () => runs.often++ },
      {
        name: "failing",
        intervalMs: 20,
        run: () => {
          runs.failing += 1;
          throw new Error("away");
        },
      },
    ],
  });
  periodic.start();
  await clock.advance(0);
  assert.deepEqual(runs, { often: 1, failing: 1 });
  await clock.advance(20);
  assert.deepEqual(runs, { often: 3, failing: 2 });
  assert.deepEqual(logged[0], {
    err: new Error("away"),
    task: "failing",
    message: "test: a periodic task failed; retrying at its next interval",
  });
  let isStopped = false;
  const stopped = periodic.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(20);
  assert.deepEqual([isStopped, runs.often], [false, 3]);
  hanging.resolve();
  await stopped;
});
