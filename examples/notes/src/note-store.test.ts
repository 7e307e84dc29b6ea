import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { type NotesDatabase, startNotesDatabase } from "./notes-database.suite.ts";

describe("NoteStore", () => {
  let database: NotesDatabase;
  before(async () => {
    database = await startNotesDatabase();
  });
  afterEach(() => database.query("truncate notes"));
  after(() => database?.stop());

  test("each of several processes lists what another one adds", async () => {
    const stores = await Promise.all([database.open(), database.open()]);
    const [one, other] = [stores[0] ?? assert.fail(), stores[1] ?? assert.fail()];
    const first = await one.add("first", "user:alice");
    const second = await other.add("two\nlines: ä 💡", "app:com.example.clock");
    const third = await one.add("third", "user:alice");
    for (const store of stores) {
      assert.deepEqual(await store.list(), [third, second, first]);
      assert.deepEqual(await store.page(2), { notes: [third, second], total: 3 });
      assert.deepEqual(await store.get(second.id), second);
    }
    assert.deepEqual([second.text, second.createdBy], ["two\nlines: ä 💡", "app:com.example.clock"]);
    assert.ok(Math.abs(Date.parse(second.createdAt) - Date.now()) < 60_000);
  });

  test("finds notes by id, by text and by year", async () => {
    const store = await database.open();
    const note = await store.add("100% of _it_ #shop", "user:alice");
    await database.query("insert into notes (text, created_by, created_at) values ('old', 'a', '2023-12-31T23:30:00-01:00')");
    for (const needle of ["#shop", "100%", "_it_"]) assert.deepEqual(await store.mentioning(needle), [note]);
    for (const needle of ["#SHOP", "1%0", "\0"]) assert.deepEqual(await store.mentioning(needle), []);
    for (const id of ["none", "\0", "00000000-0000-0000-0000-000000000000"]) assert.equal(await store.get(id), undefined);
    assert.deepEqual([await store.countOfYear("2023"), await store.countOfYear("2024")], [0, 1]);
  });

  test("continues after its connections were lost", async () => {
    const store = await database.open();
    const note = await store.add("kept", "user:alice");
    // Also while a transaction waits for something else: no query reports the loss then.
    const lost = store.announceNext(async () => {
      await database.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'app'");
    });
    await assert.rejects(lost);
    assert.deepEqual(await store.list(), [note]);
    await store.check();
    assert.equal(await store.announceNext(async ({ id }) => assert.equal(id, note.id)), true);
  });
});
