import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { NoteStore } from "./note-store.ts";

describe("NoteStore", () => {
  let folder = "";
  let path = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "note-store-"));
    path = join(folder, "below", "notes.jsonl");
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("keeps notes after a restart, newest first", async () => {
    const first = await NoteStore.open(path);
    const written = await Promise.all(["one", "two\nlines", "drei: ä 💡"].map((text) => first.add(text, "user:alice")));
    await first.close();
    const second = await NoteStore.open(path);
    assert.deepEqual(second.list(), written.toReversed());
    assert.deepEqual(second.get(written[1]?.id ?? ""), written[1]);
    assert.equal(second.count, 3);
    await second.close();
  });

  test("has written the note to the file when add resolves", async () => {
    const store = await NoteStore.open(path);
    const note = await store.add("kept", "user:alice");
    assert.equal(await readFile(path, "utf8"), `${JSON.stringify(note)}\n`);
    await store.close();
  });

  test("removes an incomplete last line and appends after it", async () => {
    const before = await NoteStore.open(path);
    const whole = await before.add("whole", "user:alice");
    await before.close();
    await appendFile(path, '{"id":"x","text":"to');
    const after = await NoteStore.open(path);
    assert.deepEqual(after.list(), [whole]);
    const next = await after.add("next", "app:com.example.clock");
    await after.close();
    assert.equal(await readFile(path, "utf8"), `${JSON.stringify(whole)}\n${JSON.stringify(next)}\n`);
  });

  test("refuses a file with a damaged line, names the line and does not change the file", async () => {
    await (await NoteStore.open(path)).close();
    const damaged = '{"id":"a","text":"b","createdAt":"c","createdBy":"d"}\n{"id":7}\n';
    await writeFile(path, damaged);
    await assert.rejects(NoteStore.open(path), /notes\.jsonl: line 2 is not a note/);
    assert.equal(await readFile(path, "utf8"), damaged);
  });

  test("lists what another version of the app appends while both run, in the order of the file", async () => {
    const [one, other] = [await NoteStore.open(path), await NoteStore.open(path)];
    const first = await one.add("first", "user:alice");
    const second = await other.add("second", "user:alice");
    const third = await one.add("third", "user:alice");
    for (const store of [one, other]) {
      assert.deepEqual(store.list(), [third, second, first]);
      assert.deepEqual([store.count, store.get(second.id), store.from(1)], [3, second, [second, third]]);
      await store.close();
    }
  });

  test("rejects if a write fails, and does not list the note", async () => {
    const store = await NoteStore.open(path);
    await store.add("kept", "user:alice");
    await store.close();
    await assert.rejects(store.add("lost", "user:alice"));
    assert.equal(store.count, 1);
  });
});
