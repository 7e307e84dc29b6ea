import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerRuntime, ContainerSpec, ContainerView, InstanceView, LogRequest } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import { ask } from "./ask-probe.ts";
import { readLines } from "./container-logs.suite.ts";
import { hasReason } from "./has-reason.ts";

/** What the tests of instances need of the suite. */
interface InstanceTestParts {
  readonly runtime: () => ContainerRuntime;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
}

async function linesOf(runtime: ContainerRuntime, name: string, request: LogRequest): Promise<readonly string[]> {
  return (await readLines(runtime, name, request)).map(({ text }) => text);
}

/** Declares the tests of the instances of a container, which every container driver must pass. */
export function instanceTests({ runtime, running, specOf }: InstanceTestParts): void {
  test("a container has one ready instance from its start to its stop", async () => {
    const spec = specOf("counted");
    const created = await runtime().create(spec);
    assert.deepEqual([created.wanted, created.instances], [0, []]);
    await running(spec);
    const view = await eventually(
      () => runtime().inspect(spec.name),
      (seen) => seen?.instances[0]?.isReady === true,
    );
    const [instance, ...others] = view?.instances ?? [];
    assert.deepEqual([view?.wanted, instance?.isReady, instance?.restarts, others], [1, true, 0, []]);
    assert.ok(Math.abs((instance?.startedAt?.getTime() ?? 0) - Date.now()) < 60_000);
    await runtime().stop(spec.name, 2_000);
    const stopped = await runtime().inspect(spec.name);
    assert.deepEqual([stopped?.wanted, stopped?.instances], [0, []]);
  });

  test("restart replaces what runs, keeps the container, and starts one that was stopped", async () => {
    const view = await running(specOf("restarted"));
    const instanceOf = async (): Promise<unknown> => {
      const [instance, ...others] = (await runtime().inspect(view.name))?.instances ?? [];
      return instance?.isReady && others.length === 0 ? `${instance.id} ${instance.startedAt?.toISOString()}` : undefined;
    };
    const before = await eventually(instanceOf, (found) => found !== undefined);
    const again = await runtime().restart(view.name, 2_000);
    assert.equal(again.id, view.id);
    await eventually(instanceOf, (found) => found !== undefined && found !== before);
    await runtime().stop(view.name, 2_000);
    await ask(await runtime().restart(view.name, 2_000), "/env");
    await assert.rejects(runtime().restart("app-nobody.knows", 2_000), hasReason("not_found"));
  });

  test("several instances run at addresses of their own, their logs are apart, and their number goes up and down", async (t) => {
    if (runtime().abilities.maxReplicas < 3) {
      t.skip("this driver has no second instance of a container");
      return;
    }
    const spec = specOf("several");
    await running(spec);
    const ready = (count: number) =>
      eventually(
        () => runtime().inspect(spec.name),
        (view) => view?.instances.length === count && view.instances.every(({ isReady }) => isReady),
        { timeoutMs: 60_000 },
      );
    assert.equal((await runtime().start(spec.name, 3)).wanted, 3);
    const instances = (await ready(3))?.instances ?? [];
    assert.equal(new Set(instances.map(({ id }) => id)).size, 3);
    assert.equal(new Set(instances.map(({ address }) => address)).size, 3);
    const [first] = instances;
    assert.ok(first?.address);
    await ask({ endpoint: `http://${first.address}` }, "/print?text=only-here");
    const printed = (instance: string) => linesOf(runtime(), spec.name, { instance });
    await eventually(async () => (await printed(first.id)).includes("only-here"));
    for (const { id } of instances.slice(1)) assert.equal((await printed(id)).includes("only-here"), false);
    await runtime().start(spec.name, 1);
    assert.equal((await ready(1))?.wanted, 1);
    await runtime().stop(spec.name, 2_000);
    const { wanted, instances: left } = (await runtime().inspect(spec.name)) ?? {};
    assert.deepEqual([wanted, left], [0, []]);
  });

  test("an instance that ends by itself shows how, while the others serve, and runs again", async (t) => {
    const { abilities } = runtime();
    if (abilities.maxReplicas < 2) {
      t.skip("this driver has no second instance of a container");
      return;
    }
    const spec = specOf("survived");
    await running(spec);
    await runtime().start(spec.name, 2);
    const seen = (holds: (instances: readonly InstanceView[]) => boolean) =>
      eventually(
        () => runtime().inspect(spec.name),
        (view) => view?.instances.length === 2 && holds(view.instances),
        { timeoutMs: 60_000 },
      );
    const areReady = (instances: readonly InstanceView[]): boolean => instances.every(({ isReady }) => isReady);
    const [first, second] = (await seen(areReady))?.instances ?? [];
    await ask({ endpoint: `http://${second?.address}` }, "/env");
    // An engine that starts it again counts that, some time after the end.
    const counted = abilities.restarts === "engine" ? 1 : 0;
    for (const ended of [second, first]) {
      await fetch(`http://${ended?.address}/exit?code=3`).catch(() => {});
      const view = await seen((instances) =>
        instances.some(({ id, lastEnd, restarts }) => id === ended?.id && lastEnd !== undefined && restarts === counted),
      );
      const shown = view?.instances.find(({ id }) => id === ended?.id);
      assert.deepEqual(
        [view?.status, view?.wanted, shown?.lastEnd?.exitCode, shown?.lastEnd?.cause],
        ["running", 2, 3, "exit"],
      );
      assert.equal(view?.exitCode, undefined, "the container has not ended");
      if (abilities.restarts === "orchestrator") await runtime().start(spec.name, 2);
      const ids = (await seen(areReady))?.instances.map(({ id }) => id);
      assert.deepEqual(new Set(ids), new Set([first?.id, second?.id]), "the same instances");
    }
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
