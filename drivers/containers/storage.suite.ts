import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerRuntime, ContainerSpec, ContainerView } from "@appserver/kernel/ports";
import { ContainerError, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import type { EngineDifferences } from "./engine-differences.ts";
import { hasReason } from "./has-reason.ts";

/** What the tests of storage use of the suite. */
interface StorageTests {
  readonly instance: string;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly fixture: () => {
    /** Puts an image of another version of the probe under the reference of the image. */
    publish(version: string): Promise<void>;
    /** Why containers see each other's files. */
    readonly sharedFiles?: string;
    readonly differences?: EngineDifferences;
  };
  /** Sends a request to the probe and waits for it to listen. */
  readonly ask: (view: ContainerView, path: string) => Promise<unknown>;
  readonly runtime: () => ContainerRuntime;
}

const data = { name: "data", mountPath: "/data", variable: "APP_STORAGE_DATA" } as const;
const cache = { name: "page-cache", mountPath: "/srv/cache", variable: "APP_STORAGE_PAGE_CACHE" } as const;

/** Declares the tests of the storage of apps that every container driver must pass (port `AppStorage`). */
export function storageTests({ instance, specOf, running, fixture, runtime, ask }: StorageTests): void {
  const withData = (app: string, storage: ContainerSpec["storage"] = [data]) => specOf(app, { storage });
  const pathOf = async (view: ContainerView, { variable }: { readonly variable: string }): Promise<string> => {
    const path = ((await ask(view, "/env")) as Readonly<Record<string, string>>)[variable];
    assert.ok(path !== undefined, `${variable} is not set`);
    return path;
  };
  const write = async (view: ContainerView, text: string, mount = data as { readonly variable: string }): Promise<void> => {
    const path = encodeURIComponent(`${await pathOf(view, mount)}/file`);
    assert.deepEqual(await ask(view, `/write?path=${path}&text=${text}`), {});
  };
  const read = async (view: ContainerView, mount = data as { readonly variable: string }): Promise<unknown> => {
    const path = encodeURIComponent(`${await pathOf(view, mount)}/file`);
    const { value, error } = (await ask(view, `/read?path=${path}`)) as { readonly value?: string; readonly error?: string };
    return value ?? error;
  };
  const namesOf = async (appId: string): Promise<readonly string[]> =>
    (await runtime().storage({ instance, appId })).map(({ name }) => name).sort();

  test("what an app writes to its storage outlives a crash and the container", async () => {
    const spec = withData("keeper", [data, cache]);
    const first = await running(spec);
    await write(first, "kept");
    await write(first, "cached", cache);
    await ask(first, "/exit?code=9").catch(() => {});
    await eventually(
      () => runtime().inspect(first.name),
      (seen) => seen?.status === "exited" || (seen?.instances[0]?.restarts ?? 0) > 0,
    );
    assert.equal(await read(await runtime().start(first.name)), "kept");
    await runtime().remove(first.name);
    assert.deepEqual(await namesOf("keeper"), ["data", "page-cache"]);
    const second = await running(spec);
    assert.deepEqual([await read(second), await read(second, cache)], ["kept", "cached"]);
  });

  test("storage follows an app to a container under another name, of another image", async () => {
    const spec = withData("moved");
    await write(await running(spec), "kept");
    await fixture().publish("2");
    try {
      const next = await running({ ...spec, name: `${spec.name}-g2` });
      assert.deepEqual([await ask(next, "/version"), await read(next)], ["2", "kept"]);
      await runtime().remove(spec.name);
      const renamed = await runtime().rename(next.name, spec.name);
      assert.equal(await read(renamed), "kept");
      await runtime().stop(renamed.name, 2_000);
      assert.equal(await read(await runtime().start(renamed.name)), "kept");
    } finally {
      await fixture().publish("1");
    }
  });

  test("each app has its own storage, whatever its name is, and only its user may read it", async () => {
    const [own, other] = [await running(withData("one")), await running(withData("two"))];
    await write(own, "of-one");
    assert.equal(await read(other), "ENOENT");
    await write(other, "of-two");
    assert.equal(await read(own), "of-one");
    const path = encodeURIComponent(await pathOf(own, data));
    assert.deepEqual(await ask(own, `/mode?path=${path}`), { value: fixture().differences?.storageMode ?? "700" });
  });

  test("an app does not reach the storage of another one by its path", async (context) => {
    const { sharedFiles } = fixture();
    if (sharedFiles !== undefined) {
      context.skip(sharedFiles);
      return;
    }
    const own = await running(withData("hidden"));
    await write(own, "secret");
    const other = await running(withData("curious", [{ ...data, mountPath: "/elsewhere" }]));
    const file = encodeURIComponent(`${await pathOf(own, data)}/file`);
    assert.deepEqual(await ask(other, `/read?path=${file}`), { error: "ENOENT" });
    assert.deepEqual(await ask(other, `/write?path=${encodeURIComponent("/data")}`), { error: "EROFS" });
  });

  test("storage is listed with its age, and with its size if that is measured", async () => {
    const view = await running(withData("listed", [data, cache]));
    await write(view, "x".repeat(5_000));
    const found = await runtime().storage({ instance, appId: "listed" });
    for (const each of found) {
      assert.deepEqual([each.instance, each.appId, each.usedBytes], [instance, "listed", undefined]);
      assert.ok(Math.abs(each.createdAt.getTime() - Date.now()) < 600_000, String(each.createdAt));
    }
    if (fixture().differences?.noStorageContents !== undefined) return;
    const { signal } = new AbortController();
    const measured = await runtime().storage({ instance }, { signal });
    const sizes = new Map(measured.filter(({ appId }) => appId === "listed").map(({ name, usedBytes }) => [name, usedBytes]));
    assert.deepEqual([...sizes.keys()].sort(), ["data", "page-cache"]);
    assert.ok((sizes.get("data") ?? 0) >= 5_000 && (sizes.get("data") ?? 0) < 100_000, String(sizes.get("data")));
    assert.ok((sizes.get("page-cache") ?? -1) < 5_000);
    assert.ok(measured.length > found.length, "of all apps");
    assert.deepEqual(await runtime().storage({ instance: "someone-else" }), []);
  });

  test("storage is read as an archive, and written from one where there is none", async (context) => {
    const reason = fixture().differences?.noStorageContents;
    if (reason !== undefined) return context.skip(reason);
    const spec = withData("archived");
    const view = await running(spec);
    await write(view, "in-the-archive");
    const chunks: Uint8Array[] = [];
    for await (const chunk of runtime().readStorage({ instance, appId: "archived" }, "data")) chunks.push(chunk);
    const archive = async function* () {
      yield* chunks;
    };
    const copy = withData("from-archive");
    await runtime().writeStorage({ instance, appId: "from-archive" }, "data", archive());
    assert.equal(await read(await running(copy)), "in-the-archive");
    const again = runtime().writeStorage({ instance, appId: "from-archive" }, "data", archive());
    await assert.rejects(again, hasReason("name_conflict"), "storage with files is not written over");
    const none = runtime().readStorage({ instance, appId: "archived" }, "missing");
    await assert.rejects(none[Symbol.asyncIterator]().next(), hasReason("not_found"));
  });

  test("storage is deleted by name or as a whole, and the next container begins with an empty one", async () => {
    const spec = withData("deleted", [data, cache]);
    const [view, other] = [await running(spec), await running(withData("neighbour"))];
    await write(view, "gone");
    await write(view, "stays", cache);
    await write(other, "stays");
    await assert.rejects(runtime().removeStorage({ instance, appId: "deleted" }, "data"), ContainerError);
    await runtime().stop(spec.name, 2_000);
    await assert.rejects(runtime().removeStorage({ instance, appId: "deleted" }), ContainerError, "a stopped one has it, too");
    await runtime().remove(spec.name);
    await runtime().removeStorage({ instance, appId: "deleted" }, "data");
    assert.deepEqual(await namesOf("deleted"), ["page-cache"]);
    const again = await running(spec);
    assert.deepEqual([await read(again), await read(again, cache)], ["ENOENT", "stays"]);
    await runtime().remove(spec.name);
    for (let repeated = 0; repeated < 2; repeated++) await runtime().removeStorage({ instance, appId: "deleted" });
    await runtime().removeStorage({ instance, appId: "deleted" }, "data");
    assert.deepEqual(await namesOf("deleted"), []);
    assert.equal(await read(other), "stays");
  });

  test("storage is copied to another owner and back, with the modes of files, and a copy is storage as any other", async (context) => {
    const reason = fixture().differences?.noStorageContents;
    if (reason !== undefined) return context.skip(reason);
    const { signal } = new AbortController();
    const spec = withData("copied", [data, cache]);
    const [owner, snapshot] = [
      { instance, appId: "copied" },
      { instance, appId: "snapshot" },
    ];
    const first = await running(spec);
    await write(first, "kept");
    await write(first, "page", cache);
    const folder = encodeURIComponent(await pathOf(first, data));
    const modeOf = async (view: ContainerView): Promise<unknown> => await ask(view, `/mode?path=${folder}%2Ffile`);
    const mode = await modeOf(first);
    await assert.rejects(runtime().copyStorage(snapshot, owner, "data", signal), ContainerError, "there is none to copy");
    // A second copy replaces the first one.
    for (const name of ["data", "page-cache", "data"])
      assert.ok((await runtime().copyStorage(owner, snapshot, name, signal)) >= 4);
    assert.deepEqual(await namesOf("snapshot"), ["data", "page-cache"]);
    await write(first, "lost");
    await assert.rejects(runtime().copyStorage(snapshot, owner, "data", signal), ContainerError, "a container has it");
    await runtime().remove(spec.name);
    await runtime().copyStorage(snapshot, owner, "data", signal);
    const again = await running(spec);
    assert.deepEqual([await read(again), await read(again, cache), await modeOf(again)], ["kept", "page", mode]);
    await write(again, "written");
    await runtime().removeStorage(snapshot);
    assert.deepEqual([await namesOf("snapshot"), await namesOf("copied")], [[], ["data", "page-cache"]]);
  });

  test("a copy that was interrupted is not storage, and is repeated or removed", async (context) => {
    const reason = fixture().differences?.noStorageContents;
    if (reason !== undefined) return context.skip(reason);
    const spec = withData("interrupted");
    const [owner, snapshot] = [
      { instance, appId: "interrupted" },
      { instance, appId: "half" },
    ];
    await write(await running(spec), "kept");
    await assert.rejects(runtime().copyStorage(owner, snapshot, "data", AbortSignal.abort(new Error("stopped"))));
    assert.deepEqual(await namesOf("half"), []);
    await runtime().copyStorage(owner, snapshot, "data", new AbortController().signal);
    assert.deepEqual(await namesOf("half"), ["data"]);
    await assert.rejects(runtime().copyStorage(owner, { ...snapshot, appId: "none" }, "data", AbortSignal.abort()));
    await runtime().removeStorage({ ...snapshot, appId: "none" }, "data");
    assert.equal(
      await read(
        await running({ ...spec, labels: { ...spec.labels, [containerLabels.appId]: "half" }, name: `${spec.name}-2` }),
      ),
      "kept",
    );
  });
}
