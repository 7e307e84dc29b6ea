import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SettingsKeyFile } from "./settings-keys.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "settings-keys-"));
});
after(() => rm(folder, { recursive: true }));

test("a data folder gets one key, readable only by its owner, also with simultaneous first uses", async () => {
  const loads = await Promise.all([1, 2, 3].map(() => new SettingsKeyFile(folder).load()));
  const [key, ...others] = loads[0] ?? [];
  assert.deepEqual([others.length, key?.key.length], [0, 32]);
  for (const keys of loads) assert.deepEqual(keys, loads[0]);
  assert.equal((await stat(join(folder, "settings-keys.json"))).mode & 0o777, 0o600);
});

test("a new key is put first, and the old one stays", async () => {
  const file = new SettingsKeyFile(folder);
  const [old] = await file.load();
  await file.add();
  const [newest, second, ...more] = await file.load();
  assert.deepEqual([second, more.length], [old, 0]);
  assert.notEqual(newest?.id, old?.id);
  assert.equal((await stat(join(folder, "settings-keys.json"))).mode & 0o777, 0o600);
});

test("a damaged file is reported in one sentence", async () => {
  for (const text of ["", "{}", "[]", '[{"id":"k","key":"short"}]', '[{"id":"a:b","key":"x"}]', "[null]"]) {
    await writeFile(join(folder, "settings-keys.json"), text);
    await assert.rejects(new SettingsKeyFile(folder).load(), {
      name: "DataFolderError",
      message: /settings-keys\.json is damaged/,
    });
  }
});
