import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerRuntime, ContainerSpec, ContainerView } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import { ask } from "./ask-probe.ts";
import type { EngineDifferences } from "./engine-differences.ts";
import { hasReason } from "./has-reason.ts";

/** What the tests of the identity need of the suite. */
interface IdentityTestParts {
  readonly runtime: () => ContainerRuntime;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
  readonly differences: () => EngineDifferences | undefined;
}

/** Declares the tests of `writeFiles`. */
export function identityTests({ runtime, running, specOf, differences }: IdentityTestParts): void {
  test("files of the identity can be read by the app alone, are replaced while it runs, and survive a restart and a rename", async () => {
    const spec = specOf("identified-g2", { aliases: [specOf("identified-g2").name] });
    await runtime().create(spec);
    await runtime().writeFiles(spec.name, [
      { name: "key.pem", text: "the key" },
      { name: "certificate.pem", text: "first" },
    ]);
    await runtime().writeFiles(spec.name, [{ name: "certificate.pem", text: "second" }]);
    const view = await runtime().start(spec.name);
    const seen = async (file: string, at: ContainerView) =>
      ask(at, `/identity?file=${file}`) as Promise<{ value?: { text: string; mode: string; isOwn: boolean } }>;
    const file = (text: string) => ({ value: { text, mode: "400", isOwn: true, ...differences()?.identityFiles } });
    assert.deepEqual(await seen("key.pem", view), file("the key"));
    assert.deepEqual(await seen("certificate.pem", view), file("second"));
    await runtime().writeFiles(spec.name, [{ name: "certificate.pem", text: "third" }]);
    // A cluster brings it to the machine of the instance.
    const third = await eventually(
      () => seen("certificate.pem", view),
      ({ value }) => value?.text === "third",
    );
    assert.deepEqual(third, file("third"));
    const { name: newName } = await runtime().rename(spec.name, specOf("identified").name);
    await runtime().stop(newName, 2_000);
    const again = await runtime().start(newName);
    assert.deepEqual(await seen("key.pem", again), file("the key"));
    assert.deepEqual(await seen("certificate.pem", again), file("third"));
    await assert.rejects(runtime().writeFiles("app-nobody.knows", []), hasReason("not_found"));
  });

  test("a new container has nothing of the identity of a removed one", async () => {
    const spec = specOf("reidentified");
    await runtime().create(spec);
    await runtime().writeFiles(spec.name, [{ name: "key.pem", text: "old" }]);
    await runtime().start(spec.name);
    await runtime().remove(spec.name);
    assert.deepEqual(await ask(await running(spec), "/identity?file=key.pem"), { error: "ENOENT" });
  });
}
