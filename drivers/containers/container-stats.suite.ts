import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerRuntime, ContainerSpec, ContainerStats, ContainerView } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import { ask } from "./ask-probe.ts";

/** What the tests of statistics need of the suite. */
interface StatsTestParts {
  readonly runtime: () => ContainerRuntime;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
  readonly hasLimits: () => boolean;
}

const mebibyte = 1_024 * 1_024;

/** Declares the tests of `stats`. */
export function statsTests({ runtime, running, specOf, hasLimits }: StatsTestParts): void {
  // A process without /proc has none.
  const skip = process.platform === "linux" ? false : "needs Linux";
  /** An engine may measure a container some seconds after its start for the first time. */
  const statsOf = async ({ name }: ContainerView): Promise<ContainerStats> => {
    const what = `${name} has statistics`;
    const stats = await eventually(
      () => runtime().stats(name),
      (seen) => seen !== undefined,
      { what },
    );
    return stats ?? assert.fail(what);
  };
  /** A list of processes may be a second old. */
  const until = (view: ContainerView, holds: (stats: ContainerStats) => boolean): Promise<ContainerStats> =>
    eventually(() => statsOf(view), holds, { what: "the statistics show it" });

  test("stats shows the memory that an app uses, its limit, and the processor time since its start", {
    skip,
  }, async () => {
    const [view, idle] = [await running(specOf("busy")), await running(specOf("idle"))];
    const [before, idleBefore] = [await statsOf(view), await statsOf(idle)];
    assert.equal(before.memoryLimitBytes, hasLimits() ? 256 * mebibyte : undefined);
    assert.ok(before.memoryBytes > mebibyte && before.memoryBytes < 200 * mebibyte, String(before.memoryBytes));
    assert.ok(before.cpuSeconds > 0 && before.cpuSeconds < 30, String(before.cpuSeconds));

    await ask(view, "/hold?mb=64");
    const held = await until(view, ({ memoryBytes }) => memoryBytes > before.memoryBytes + 50 * mebibyte);
    assert.ok(held.memoryBytes < before.memoryBytes + 120 * mebibyte, String(held.memoryBytes));
    await ask(view, "/spin?ms=2000");
    const spun = await until(view, ({ cpuSeconds }) => cpuSeconds > before.cpuSeconds + 1.8);
    assert.ok(spun.cpuSeconds < before.cpuSeconds + 10, String(spun.cpuSeconds));

    const idleNow = await statsOf(idle);
    assert.ok(idleNow.memoryBytes < idleBefore.memoryBytes + 40 * mebibyte, "another app does not show it");
    assert.ok(idleNow.cpuSeconds < idleBefore.cpuSeconds + 1.5, "another app does not show it");

    await runtime().stop(view.name, 2_000);
    await ask(await runtime().start(view.name), "/env");
    const again = await until(view, ({ memoryBytes }) => memoryBytes < before.memoryBytes + 40 * mebibyte);
    assert.ok(again.cpuSeconds < spun.cpuSeconds, "a restart begins at 0");
  });

  test("stats includes the processes that an app starts", { skip }, async () => {
    const view = await running(specOf("parent"));
    const before = await statsOf(view);
    await ask(view, "/child?mb=64&ms=1000");
    const after = await until(view, ({ cpuSeconds }) => cpuSeconds > before.cpuSeconds + 0.9);
    assert.ok(after.memoryBytes > before.memoryBytes + 60 * mebibyte, String(after.memoryBytes));
    await runtime().remove(view.name);
  });

  test("a container that does not run has no stats, and neither has an unknown one", async () => {
    const spec = specOf("resting");
    await runtime().create(spec);
    assert.equal(await runtime().stats(spec.name), undefined);
    await running(spec);
    await runtime().stop(spec.name, 2_000);
    assert.equal(await runtime().stats(spec.name), undefined);
    assert.equal(await runtime().stats("app-nobody.knows"), undefined);
  });
}
