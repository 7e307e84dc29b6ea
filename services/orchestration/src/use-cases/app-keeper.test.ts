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

test("a hint looks at once; an app that is gone ends its keeper", async () => {
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

test("a long pull is broken off when the app is uninstalled meanwhile, and not by a hint alone", async () => {
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

test("it stands by while another holds the lease, and takes over when it is free", async () => {
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

test("with the lease lost, work is broken off and nothing more is written", async () => {
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

test("a passing failure is tried again; stopping ends the wait", async () => {
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
