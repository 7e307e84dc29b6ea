import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { Lifecycle, StartAbortedError } from "./lifecycle.ts";
import { DatabaseError } from "./platform-ports/database.ts";

function recorder() {
  const log: string[] = [];
  const component = (name: string, failing: "start" | "stop" | "never" = "never") => ({
    name,
    start: () => {
      log.push(`start ${name}`);
      if (failing === "start") throw new Error(`${name} is broken`);
    },
    stop: () => {
      log.push(`stop ${name}`);
      if (failing === "stop") throw new Error(`${name} hangs`);
    },
  });
  return { log, component };
}

test("stops in the reverse order of starting", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle({ onError: () => assert.fail("nothing fails here") });
  await lifecycle.use(component("database"));
  await lifecycle.use(component("listener"));
  await lifecycle.stop();
  assert.deepEqual(log, ["start database", "start listener", "stop listener", "stop database"]);
});

test("if a component fails to start, all started components and itself are stopped, and start rejects with the failure", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle({ onError: () => assert.fail("nothing fails to stop here") });
  await lifecycle.use(component("database"));
  await assert.rejects(lifecycle.use(component("listener", "start")), /listener is broken/);
  assert.deepEqual(log.slice(2), ["stop listener", "stop database"]);
});

test("a component that fails to stop is reported and does not prevent the others from stopping", async () => {
  const { log, component } = recorder();
  const failures: string[] = [];
  const lifecycle = new Lifecycle({ onError: (name) => failures.push(name) });
  await lifecycle.use(component("database"));
  await lifecycle.use(component("listener", "stop"));
  await lifecycle.stop();
  assert.deepEqual(failures, ["listener"]);
  assert.equal(log.at(-1), "stop database");
});

test("stop aborts the signal of a starting component, waits for it, stops everything, and refuses later components", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle({ onError: () => assert.fail("nothing fails to stop here") });
  await lifecycle.use(component("database"));
  const waiting = {
    ...component("waiting"),
    start: (signal?: AbortSignal) =>
      new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true })),
  };
  const starting = assert.rejects(lifecycle.use(waiting), StartAbortedError);
  await lifecycle.stop();
  await starting;
  assert.deepEqual(log, ["start database", "stop waiting", "stop database"]);
  await assert.rejects(lifecycle.use(component("late")), StartAbortedError);
});

test("an aborted start rejects once all components have stopped, even if it still waits for something", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle({ onError: () => assert.fail("nothing fails to stop here") });
  const stopping = new AbortController();
  const run = lifecycle.run(stopping.signal, async () => {
    await lifecycle.use(component("database"));
    stopping.abort();
    return new Promise(() => {});
  });
  await assert.rejects(run, StartAbortedError);
  assert.deepEqual(log, ["start database", "stop database"]);
});

test("a failed start rejects with its failure once all components have stopped", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle({ onError: () => assert.fail("nothing fails to stop here") });
  const run = lifecycle.run(new AbortController().signal, async () => {
    await lifecycle.use(component("database"));
    throw new Error("no such thing");
  });
  await assert.rejects(run, /no such thing/);
  assert.deepEqual(log, ["start database", "stop database"]);
});

/** A component whose start fails so often, and a lifecycle that repeats it. */
function unavailable(times: number, error: () => Error) {
  const clock = new FakeClock();
  const waits: unknown[] = [];
  let starts = 0;
  const component = {
    name: "service",
    start: async () => {
      starts += 1;
      if (starts <= times) throw error();
    },
  };
  const lifecycle = new Lifecycle({
    onError: () => assert.fail("nothing fails to stop here"),
    onUnavailable: (name, reason, retryMs) => waits.push([name, (reason as Error).message, retryMs]),
    clock,
  });
  return { clock, waits, component, lifecycle, starts: () => starts };
}

test("a start that needs an unavailable database is repeated with back-off until it succeeds", async () => {
  const { clock, waits, component, lifecycle } = unavailable(3, () => new DatabaseError("unavailable", "it was killed"));
  const using = lifecycle.use(component);
  await clock.advance(0);
  await clock.advance(100 + 200 + 400);
  await using;
  assert.deepEqual(waits, [
    ["service", "it was killed", 100],
    ["service", "it was killed", 200],
    ["service", "it was killed", 400],
  ]);
});

test("a stop ends the repetition", async () => {
  const { clock, component, lifecycle, starts } = unavailable(10, () => new DatabaseError("unavailable", "it was killed"));
  const using = assert.rejects(lifecycle.use(component), StartAbortedError);
  await clock.advance(0);
  await clock.advance(100);
  await lifecycle.stop();
  await using;
  assert.equal(starts(), 2);
});

test("a start that fails for another reason is not repeated", async () => {
  const { component, lifecycle, starts } = unavailable(1, () => new DatabaseError("other", "relation does not exist"));
  await assert.rejects(lifecycle.use(component), /relation does not exist/);
  assert.equal(starts(), 1);
});
