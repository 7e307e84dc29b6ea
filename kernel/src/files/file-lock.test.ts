import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { takeFileLock, withFileLock } from "./file-lock.ts";
import { startTimeOf } from "./process-identity.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-lock-"));
});
after(() => rm(folder, { recursive: true }));

test("a lock has one holder, which is named to others, in the same process too", async () => {
  const file = join(folder, "named");
  const held = takeFileLock(file);
  assert.ok("release" in held);
  assert.deepEqual(takeFileLock(file), {
    heldBy: { pid: process.pid, startTime: startTimeOf(process.pid) },
  });
  await assert.rejects(
    withFileLock(file, () => assert.fail("ran"), { timeoutMs: 50 }),
    { name: "FileLockTimeoutError", pid: process.pid },
  );
  held.release();
  assert.equal(await withFileLock(file, async () => "ran"), "ran");
  assert.deepEqual(await readdir(folder), []);
});

test("a lock whose file was removed is not intact, and its release leaves the lock of the next holder", async () => {
  const file = join(folder, "removed");
  const first = takeFileLock(file);
  assert.ok("release" in first);
  assert.equal(first.isIntact(), true);
  await rm(file);
  assert.equal(first.isIntact(), false);
  const second = takeFileLock(file);
  assert.ok("release" in second);
  assert.equal(first.isIntact(), false);
  first.release();
  assert.equal(second.isIntact(), true);
  second.release();
  assert.deepEqual(await readdir(folder), []);
});

test("of many concurrent callers one works at a time", async () => {
  const file = join(folder, "contested");
  let working = 0;
  const work = async () => {
    working += 1;
    assert.equal(working, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    working -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => withFileLock(file, work)));
});

test("the lock of a killed process, an empty lock file and a truncated one are taken over at once", async () => {
  const file = join(folder, "dead");
  const script = `import { takeFileLock } from ${JSON.stringify(join(import.meta.dirname, "file-lock.ts"))};
    takeFileLock(${JSON.stringify(file)}); console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const before = takeFileLock(file);
  assert.ok("heldBy" in before && before.heldBy.pid === child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  for (const content of [undefined, "", '{"pid":', "4711", "null"]) {
    if (content !== undefined) await writeFile(file, content);
    const taken = takeFileLock(file);
    assert.ok("release" in taken, `content ${content}`);
    taken.release();
  }
});

test("an aborted wait rejects with the signal's reason", async () => {
  const file = join(folder, "aborted");
  const held = takeFileLock(file);
  assert.ok("release" in held);
  const stopping = new AbortController();
  const waiting = assert.rejects(
    withFileLock(file, () => assert.fail("ran"), { signal: stopping.signal }),
    /no more/,
  );
  stopping.abort(new Error("no more"));
  await waiting;
  held.release();
});
