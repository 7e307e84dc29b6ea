import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { FakeClock, until } from "@appserver/testing/kit";
import { Discards } from "./discards.ts";

const folder = mkdtempSync(join(tmpdir(), "discards-"));
const [root, moving] = [join(folder, "repositories"), join(folder, "discarded")];
const file = join(root, "com.example.notes/blobs/0e");
const aside = join(moving, "com.example.notes~blobs~0e");
const clock = new FakeClock();
const discards = new Discards(root, moving, clock);
const since = clock.now() - 1_000;
const [fresh, old] = [since / 1_000 + 1, since / 1_000 - 1];

beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(moving, { recursive: true });
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "blob");
});
after(() => rmSync(folder, { recursive: true }));

test("an old file is removed, and one that was marked is not", async () => {
  utimesSync(file, old, old);
  assert.equal(await discards.mark(file), true);
  assert.equal(await discards.removeUnused(file, since), false);
  utimesSync(file, old, old);
  assert.equal(await discards.removeUnused(file, since), true);
  assert.deepEqual([existsSync(file), readdirSync(moving), await discards.mark(file)], [false, [], false]);
});

test("a file that was marked just before it was moved aside comes back", async () => {
  utimesSync(file, fresh, fresh);
  renameSync(file, aside);
  await discards.recover(since);
  assert.deepEqual([existsSync(file), readdirSync(moving)], [true, []]);
});

test("a file that a killed process has moved aside is removed, and one that was pushed again stays", async () => {
  utimesSync(file, old, old);
  renameSync(file, aside);
  writeFileSync(file, "blob");
  await discards.recover(since);
  assert.deepEqual([existsSync(file), readdirSync(moving)], [true, []]);
});

test("a mark waits while a file is aside, and says no if it does not come back", async () => {
  utimesSync(file, fresh, fresh);
  renameSync(file, aside);
  const marked = discards.mark(file);
  await until("the mark waits", () => clock.sleeping === 1);
  await discards.recover(since);
  await clock.advance(20);
  assert.equal(await marked, true);
  renameSync(file, aside);
  const unmarked = discards.mark(file);
  await until("the mark waits", () => clock.sleeping === 1);
  await clock.advance(1_000);
  assert.equal(await unmarked, false);
});
