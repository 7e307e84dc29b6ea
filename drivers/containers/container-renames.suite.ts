import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContainerRuntime, type ContainerSpec, type ContainerView, containerLabels } from "@appserver/kernel/ports";
import { ask } from "./ask-probe.ts";
import { atRest } from "./at-rest.ts";
import { printedBy } from "./container-logs.suite.ts";
import { hasReason } from "./has-reason.ts";

/** What the tests of renames use of the suite. */
interface RenameTests {
  readonly instance: string;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly fixture: () => { open(): Promise<ContainerRuntime> };
  readonly runtime: () => ContainerRuntime;
}

/** Declares the tests of `rename` that every container driver must pass. */
export function renameTests({ instance, specOf, running, fixture, runtime }: RenameTests): void {
  test("a renamed container keeps running, and is found under its new name only", async () => {
    const spec = specOf("renamed-g2", { aliases: [specOf("renamed-g2").name] });
    const newName = specOf("renamed").name;
    const view = await running(spec);
    const pid = await ask(view, "/pid");
    const renamed = await runtime().rename(spec.name, newName);
    assert.deepEqual(atRest(renamed), { ...atRest(view), name: newName });
    assert.equal(await ask(renamed, "/pid"), pid);
    const found = await runtime().inspect(newName);
    assert.deepEqual(found && atRest(found), atRest(renamed));
    assert.equal(await runtime().inspect(spec.name), undefined);
    const listed = await runtime().list({ [containerLabels.instance]: instance, [containerLabels.appId]: "renamed-g2" });
    assert.deepEqual(listed.map(atRest), [atRest(renamed)]);
    assert.match(await printedBy(runtime(), newName), /probe is up/);

    await runtime().stop(newName, 2_000);
    assert.equal((await runtime().inspect(newName))?.status, "exited");
    await ask(await runtime().start(newName), "/env");
    await runtime().remove(newName);
    await runtime().create(spec);
  });

  test("a repeated rename succeeds, also by several replicas at once", async () => {
    const spec = specOf("repeated-g2");
    const newName = specOf("repeated").name;
    const { id } = await runtime().create(spec);
    const other = await fixture().open();
    try {
      const renames = await Promise.all([runtime().rename(spec.name, newName), other.rename(spec.name, newName)]);
      renames.push(await runtime().rename(spec.name, newName), await runtime().rename(newName, newName));
      assert.deepEqual(new Set(renames.map((view) => [view.id, view.name].join(" "))), new Set([`${id} ${newName}`]));
    } finally {
      await other.close();
    }
  });

  test("rename refuses a name in use, and an unknown container", async () => {
    const [spec, holder] = [specOf("refused-g2"), specOf("refused")];
    const views = [await runtime().create(spec), await runtime().create(holder)];
    await assert.rejects(runtime().rename(spec.name, holder.name), hasReason("name_conflict"));
    assert.deepEqual([await runtime().inspect(spec.name), await runtime().inspect(holder.name)], views);
    await runtime().remove(spec.name);
    // The remaining container never had the name of the removed one.
    await assert.rejects(runtime().rename(spec.name, holder.name), hasReason("not_found"));
    await assert.rejects(runtime().rename(spec.name, spec.name), hasReason("not_found"));
    await runtime().rename(holder.name, spec.name);
  });
}
