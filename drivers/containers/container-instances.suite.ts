import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerRuntime, ContainerSpec, ContainerView } from "@appserver/kernel/ports";
import { ask } from "./ask-probe.ts";
import { hasReason } from "./has-reason.ts";

/** What the tests of instances need of the suite. */
interface InstanceTestParts {
  readonly runtime: () => ContainerRuntime;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
}

/** Declares the tests of the instances of a container, which every container driver must pass. */
export function instanceTests({ runtime, running, specOf }: InstanceTestParts): void {
  test("a container has one ready instance from its start to its stop", async () => {
    const spec = specOf("counted");
    const created = await runtime().create(spec);
    assert.deepEqual([created.wanted, created.instances], [0, []]);
    await running(spec);
    const view = await runtime().inspect(spec.name);
    const [instance, ...others] = view?.instances ?? [];
    assert.deepEqual([view?.wanted, instance?.isReady, instance?.restarts, others], [1, true, 0, []]);
    assert.ok(Math.abs((instance?.startedAt?.getTime() ?? 0) - Date.now()) < 60_000);
    await runtime().stop(spec.name, 2_000);
    const stopped = await runtime().inspect(spec.name);
    assert.deepEqual([stopped?.wanted, stopped?.instances], [0, []]);
  });

  test("restart replaces what runs, keeps the container, and starts one that was stopped", async () => {
    const view = await running(specOf("restarted"));
    const pidOf = async (seen: ContainerView): Promise<unknown> => [seen.startedAt, await ask(seen, "/pid")];
    const before = await pidOf(view);
    const again = await runtime().restart(view.name, 2_000);
    assert.equal(again.id, view.id);
    assert.notDeepEqual(await pidOf(again), before);
    await runtime().stop(view.name, 2_000);
    await ask(await runtime().restart(view.name, 2_000), "/env");
    await assert.rejects(runtime().restart("app-nobody.knows", 2_000), hasReason("not_found"));
  });

  test("more instances than the driver can run are refused, and its name is in the reason", async () => {
    const spec = specOf("multiplied");
    await runtime().create(spec);
    const { driver, abilities } = runtime();
    const tooMany = runtime().start(spec.name, abilities.maxReplicas + 1);
    await assert.rejects(tooMany, (error) => hasReason("refused")(error) && String(error).includes(driver));
    assert.equal((await runtime().inspect(spec.name))?.status, "created");
  });
}
