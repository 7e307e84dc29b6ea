import assert from "node:assert/strict";
import { test } from "node:test";
import { ContainerError } from "@appserver/kernel/ports";
import { Bench } from "../../test/memory-parts.ts";

function pullsForever(bench: Bench): void {
  bench.runtime.pulling = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new ContainerError("pull_timeout", "aborted")));
    });
}

test("a hint triggers a check at once; the keeper ends when its app is uninstalled", async () => {
  const bench = new Bench();
  const keeper = bench.keeper();
  const run = keeper.run(bench.abort.signal);
  await keeper.rested;
  assert.equal(bench.deployment.state, "HEALTHY");
  bench.desired = undefined;
  keeper.hint();
  await run;
  assert.equal(bench.deployment.state, "STOPPED");
});

test("a long pull is aborted when the app is uninstalled during it, but not by a hint alone", async () => {
  const bench = new Bench();
  pullsForever(bench);
  const keeper = bench.keeper();
  const run = keeper.run(bench.abort.signal);
  await bench.clock.advance(1_000);
  keeper.hint();
  await bench.clock.advance(1_000);
  assert.deepEqual(bench.runtime.calls.length, 1);
  bench.desired = undefined;
  keeper.hint();
  await run;
  assert.equal(bench.takeStates(), "PENDING PULLING STOPPING STOPPED");
});

test("it waits while another orchestrator holds the lease, and takes over when the lease is free", async () => {
  const bench = new Bench();
  bench.isLeaseTaken = true;
  const keeper = bench.keeper();
  const run = keeper.run(bench.abort.signal);
  await keeper.rested;
  await bench.clock.advance(60_000);
  assert.deepEqual(bench.runtime.calls, []);
  bench.isLeaseTaken = false;
  await bench.clock.advance(10_000);
  assert.equal(bench.deployment.state, "HEALTHY");
  bench.abort.abort();
  await run;
});

test("when the lease is lost, work is aborted and nothing more is written", async () => {
  const bench = new Bench();
  pullsForever(bench);
  const run = bench.keeper().run(bench.abort.signal);
  await bench.clock.advance(1_000);
  bench.isLeaseTaken = true;
  await bench.clock.advance(60_000);
  assert.equal(bench.takeStates(), "PENDING PULLING");
  bench.abort.abort();
  await run;
});

test("a temporary failure is retried; stopping ends the wait", async () => {
  const bench = new Bench();
  bench.runtime.failures.set("pull", new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  const run = bench.keeper().run(bench.abort.signal);
  await bench.clock.advance(500);
  assert.equal(bench.deployment.state, "PULLING");
  await bench.clock.advance(1_000);
  assert.equal(bench.deployment.state, "HEALTHY");
  bench.abort.abort();
  await run;
});
