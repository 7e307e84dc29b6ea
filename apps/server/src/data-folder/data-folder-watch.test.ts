import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { holdDataFolder } from "./data-folder.ts";
import { DataFolderWatch } from "./data-folder-watch.ts";

let root = "";
before(async () => {
  root = await mkdtemp(join(tmpdir(), "data-folder-watch-"));
});
after(() => rm(root, { recursive: true }));

let reports: string[] = [];
beforeEach(() => {
  reports = [];
});

async function watched(name: string) {
  const path = join(root, name);
  const folder = await holdDataFolder(path);
  const watch = new DataFolderWatch({
    folder,
    clock: new FakeClock(),
    onLost: (problem) => {
      assert.equal(watch.reported, undefined);
      reports.push(problem);
      // As a log line does that is written during the report.
      watch.look();
    },
    onFound: () => reports.push("found"),
  });
  return { path, watch };
}

test("a removed folder is reported once, and again after it was back", async () => {
  const { path, watch } = await watched("moved");
  assert.equal(watch.look(), undefined);
  await watch.check.check();
  const problem = `the data folder ${path} cannot be used: it was removed`;
  for (let round = 1; round <= 2; round++) {
    await rename(path, `${path}.aside`);
    assert.equal(watch.look(), problem);
    assert.equal(watch.look(), problem);
    assert.equal(watch.reported, problem);
    await assert.rejects(watch.check.check(), { message: problem });
    await rename(`${path}.aside`, path);
    assert.equal(watch.look(), undefined);
    assert.equal(watch.reported, undefined);
  }
  assert.deepEqual(reports, [problem, "found", problem, "found"]);
});

test("after its stop the watch reports nothing new", async () => {
  const { path, watch } = await watched("stopped");
  watch.stop();
  await rm(path, { recursive: true });
  assert.equal(watch.look(), undefined);
  assert.deepEqual(reports, []);
});

test("a folder that another process made again is not that of this process", async () => {
  const { path, watch } = await watched("replaced");
  await rm(path, { recursive: true });
  await holdDataFolder(path);
  assert.equal(watch.look(), `the data folder ${path} cannot be used: another process uses a new folder of that name`);
});

test("a removal that has only begun is noticed", async () => {
  const { path, watch } = await watched("begun");
  await rm(join(path, "lock"));
  assert.equal(watch.look(), `the data folder ${path} cannot be used: its file lock was removed`);
});

test("a watched file is missed, in the folder and outside", async () => {
  const { path, watch } = await watched("parts");
  const outside = join(root, "elsewhere");
  const files = [join(path, "database"), outside];
  for (const file of files) await writeFile(file, "");
  watch.add(files);
  assert.equal(watch.look(), undefined);
  await rm(outside);
  assert.equal(watch.look(), `the data folder ${path} cannot be used: ${outside} was removed`);
  await rm(join(path, "database"));
  assert.equal(watch.look(), `the data folder ${path} cannot be used: its file database was removed`);
  // Only the first problem of an outage is reported.
  assert.equal(reports.length, 1);
});

test("a folder that cannot be read is reported with the reason", async () => {
  const { path, watch } = await watched("unreadable");
  await rm(path, { recursive: true });
  await writeFile(path, "");
  assert.equal(watch.look(), `the data folder ${path} cannot be used: it is not accessible (EACCES)`);
  await rm(path);
  await mkdir(path);
});
