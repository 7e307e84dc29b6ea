import assert from "node:assert/strict";
import { type FSWatcher, watch } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { until } from "@appserver/testing/kit";
import { FolderChanges, type FolderChangesOptions } from "./folder-changes.ts";

/** Watches a new folder with sources and packages. */
async function watched(options: Partial<FolderChangesOptions>, use: (folder: string, count: () => number) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "folder-changes-"));
  for (const each of ["src/parts", "node_modules/package", ".git", "dist"])
    await mkdir(join(folder, each), { recursive: true });
  let count = 0;
  const changes = new FolderChanges(folder, { warn: assert.fail, ...options });
  const ended = changes.each(async () => {
    count += 1;
  });
  try {
    await use(folder, () => count);
  } finally {
    changes.stop();
    await ended;
    await rm(folder, { recursive: true });
  }
}

describe("the changes of a folder", () => {
  test("are those of sources, also in new folders, and need no watch of packages", { timeout: 60_000 }, async () => {
    const places: string[] = [];
    const counting = ((path: string, listener: () => void) => {
      places.push(path);
      return watch(path, listener);
    }) as typeof watch;
    await watched({ watch: counting }, async (folder, count) => {
      const seen = (place: string) => until(place, () => places.some((each) => relative(folder, each) === place));
      const change = async (file: string): Promise<void> => {
        const before = count();
        await writeFile(join(folder, file), "");
        await until(`the change of ${file}`, () => count() > before);
      };
      await seen("src/parts");
      await change("src/parts/a.js");
      await mkdir(join(folder, "src/new"));
      await seen("src/new");
      await change("src/new/b.js");
      await rm(join(folder, "src/new"), { recursive: true });
      await mkdir(join(folder, "src/new"));
      await until("the folder is watched again", () => places.filter((each) => each.endsWith("/new")).length > 1);
      await change("src/new/c.js");
      assert.deepEqual([...new Set(places.map((each) => relative(folder, each)))], ["", "src", "src/parts", "src/new"]);
    });
  });

  for (const isLate of [false, true])
    test(`are found by comparison if ${isLate ? "a watch fails" : "the system has no more watches"}`, {
      timeout: 60_000,
    }, async () => {
      const warnings: string[] = [];
      const error = Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), { code: "ENOSPC" });
      const failing = ((path: string, listener: () => void): FSWatcher => {
        if (!isLate) throw error;
        const watcher = watch(path, listener);
        setImmediate(() => watcher.emit("error", error));
        return watcher;
      }) as typeof watch;
      const warn = (text: string) => void warnings.push(text);
      await watched({ watch: failing, warn, pollMs: 10 }, async (folder, count) => {
        await until("the warning", () => warnings.length > 0);
        let version = 0;
        await until("the change", async () => {
          version += 1;
          await writeFile(join(folder, "src/parts/a.js"), "x".repeat(version));
          return count() > 0;
        });
      });
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /^could not watch .*ENOSPC.* compared each second instead\. `sysctl fs\.inotify\./);
    });
});
