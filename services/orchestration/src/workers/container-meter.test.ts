import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import type { ContainerStats } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import type { Deployment } from "../domain/deployment.ts";
import { ContainerError } from "../ports.ts";
import { ContainerMeter } from "./container-meter.ts";

const stats = (changes: Partial<ContainerStats> = {}): ContainerStats => ({
  memoryBytes: 100,
  memoryLimitBytes: 1_000,
  cpuSeconds: 2,
  ...changes,
});

/** A meter, and an engine and records that a test changes. */
class MeterFixture {
  readonly clock = new FakeClock();
  readonly stopping = new AbortController();
  readonly owned = new Set<string>();
  deployments: readonly Deployment[] = [];
  stats: (container: string, signal?: AbortSignal) => Promise<ContainerStats | undefined> = async () => stats();
  readonly meter = new ContainerMeter({
    runtime: { stats: (container, signal) => this.stats(container, signal) },
    deployments: { containers: async () => this.deployments },
    clock: this.clock,
    logger: silentLogger,
    owns: (appName) => this.owned.has(appName),
  });
  readonly #model: Deployment;

  private constructor(model: Deployment) {
    this.#model = model;
  }

  static async of(...apps: readonly string[]): Promise<MeterFixture> {
    const healthy = new ReconcileFixture();
    await healthy.reconcile();
    const fixture = new MeterFixture(healthy.deployment);
    for (const app of apps) fixture.add(app);
    return fixture;
  }

  add(appName: string, changes: Partial<Deployment> = {}): void {
    const id = `deployment-${this.deployments.length}`;
    this.deployments = [...this.deployments, { ...this.#model, id, appName, containerName: `app-${appName}`, ...changes }];
    this.owned.add(appName);
  }

  measure(): Promise<void> {
    return this.meter.measure(this.stopping.signal);
  }

  get apps(): readonly string[] {
    return this.meter.usage().map(({ appName }) => appName);
  }
}

const hanging = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

test("of 200 apps, four are measured at a time", async () => {
  const fixture = await MeterFixture.of(...Array.from({ length: 200 }, (_, index) => `app${index}`));
  let [running, most, calls] = [0, 0, 0];
  fixture.stats = async () => {
    calls += 1;
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return stats();
  };
  await fixture.measure();
  assert.deepEqual([calls, most, fixture.apps.length], [200, 4, 200]);
});

test("an engine that hangs delays no scrape and not the other containers; old samples disappear", async () => {
  const fixture = await MeterFixture.of("hangs", "works");
  await fixture.measure();
  let isAborted = false;
  fixture.stats = async (container, signal) => {
    if (container === "app-works") return stats({ cpuSeconds: 3 });
    signal?.addEventListener("abort", () => {
      isAborted = true;
    });
    return await hanging(signal);
  };
  const round = fixture.measure();
  await fixture.clock.advance(1);
  assert.deepEqual(
    fixture.meter.usage().map(({ appName, cpuSeconds }) => [appName, cpuSeconds]),
    [
      ["hangs", 2],
      ["works", 3],
    ],
  );
  await fixture.clock.advance(3_000);
  await round;
  assert.ok(isAborted, "the request to the engine ends");
  await fixture.clock.advance(56_000);
  assert.deepEqual(fixture.apps, ["hangs", "works"]);
  await fixture.clock.advance(1_000);
  assert.deepEqual(fixture.apps, ["works"]);
});

test("an engine that cannot be reached fails no round", async () => {
  const fixture = await MeterFixture.of("notes");
  fixture.stats = () => Promise.reject(new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  await fixture.measure();
  assert.deepEqual(fixture.apps, []);
});

test("only containers that run are shown, of apps whose lease is held", async () => {
  const fixture = await MeterFixture.of("healthy", "elsewhere");
  const others = ["PENDING", "PULLING", "CREATING", "FAILED", "STOPPING", "STOPPED"] as const;
  for (const state of others) fixture.add(state, { state });
  for (const state of ["STARTING", "UNHEALTHY", "RESTARTING"] as const) fixture.add(state, { state });
  fixture.owned.delete("elsewhere");
  await fixture.measure();
  assert.deepEqual(fixture.apps, ["healthy", "STARTING", "UNHEALTHY", "RESTARTING"]);

  fixture.owned.delete("healthy");
  assert.deepEqual(fixture.apps, ["STARTING", "UNHEALTHY", "RESTARTING"], "at once when the lease is lost");
  fixture.deployments = fixture.deployments.filter(({ appName }) => appName !== "STARTING");
  fixture.stats = async (container) => (container === "app-RESTARTING" ? undefined : stats());
  await fixture.measure();
  assert.deepEqual(fixture.apps, ["UNHEALTHY"], "removed, and ended");
});

test("the processor time of an app never decreases, although containers end and a lease moves away", async () => {
  const fixture = await MeterFixture.of("notes");
  const values: number[] = [];
  const after = async (used: Readonly<Record<string, number>>): Promise<number | undefined> => {
    fixture.stats = async (container) => (used[container] === undefined ? undefined : stats({ cpuSeconds: used[container] }));
    await fixture.measure();
    const value = fixture.meter.usage()[0]?.cpuSeconds;
    if (value !== undefined) values.push(value);
    return value;
  };
  assert.equal(await after({ "app-notes": 1_000 }), 1_000);
  fixture.add("notes", { role: "next", containerName: "app-notes-g2" });
  assert.equal(await after({ "app-notes": 1_001, "app-notes-g2": 5 }), 1_006);
  fixture.deployments = fixture.deployments.slice(0, 1);
  assert.equal(await after({ "app-notes": 1_002 }), 1_007, "the next container failed");
  assert.equal(await after({}), undefined, "the container is restarted");
  assert.equal(await after({ "app-notes": 3 }), 1_010);
  fixture.owned.delete("notes");
  assert.equal(await after({ "app-notes": 4 }), undefined);
  fixture.owned.add("notes");
  assert.equal(await after({ "app-notes": 6 }), 1_013);
  assert.deepEqual(
    values,
    [...values].sort((a, b) => a - b),
  );
  fixture.meter.forget("notes");
  assert.deepEqual(fixture.apps, []);
  assert.equal(await after({ "app-notes": 7 }), 7);
});

test("two containers of an app are added up", async () => {
  const fixture = await MeterFixture.of("notes");
  fixture.add("notes", { role: "next", containerName: "app-notes-g2" });
  fixture.stats = async (container) => stats(container === "app-notes" ? {} : { memoryBytes: 50, cpuSeconds: 0.5 });
  await fixture.measure();
  assert.deepEqual(fixture.meter.usage(), [{ appName: "notes", memoryBytes: 150, memoryLimitBytes: 2_000, cpuSeconds: 2.5 }]);
  fixture.stats = async () => stats({ memoryLimitBytes: undefined });
  await fixture.measure();
  assert.equal(fixture.meter.usage()[0]?.memoryLimitBytes, undefined);
});

test("the end of the orchestrator ends a round, and begins no further call", async () => {
  const fixture = await MeterFixture.of(...Array.from({ length: 20 }, (_, index) => `app${index}`));
  let calls = 0;
  fixture.stats = (_container, signal) => {
    calls += 1;
    return hanging(signal);
  };
  const round = fixture.measure();
  await fixture.clock.advance(1);
  fixture.stopping.abort();
  await round;
  assert.equal(calls, 4);
});

test("of several instances, one that is started again adds only what it used since", async () => {
  const fixture = await MeterFixture.of("notes");
  const total = async (cpuSecondsOf: Readonly<Record<string, number>>): Promise<number | undefined> => {
    const cpuSeconds = Object.values(cpuSecondsOf).reduce((sum, each) => sum + each, 0);
    fixture.stats = async () => stats({ cpuSeconds, cpuSecondsOf });
    await fixture.measure();
    return fixture.meter.usage()[0]?.cpuSeconds;
  };
  assert.equal(await total({ one: 60 }), 60);
  assert.equal(await total({ one: 61, two: 40 }), 101);
  assert.equal(await total({ one: 61, two: 1 }), 102, "the sum is smaller than before");
  assert.equal(await total({ one: 62 }), 103, "there are fewer");
});
