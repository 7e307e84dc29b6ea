import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { platformMigrations } from "../platform-migrations.ts";
import { changedSubject, notePermissionChanges, readPermissionChanges } from "./permission-changes.ts";

describe("changes of permissions", () => {
  let server: TestPostgres;
  let fixture: TestDatabase;

  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate(platformMigrations);
  });
  after(async () => {
    await fixture.stop();
    await server.stop();
  });

  const note = (...users: readonly string[]) => fixture.database.transaction((tx) => notePermissionChanges(tx, users));
  const read = () => readPermissionChanges(fixture.database);

  it("are numbered by subject; a change through which others may hold permissions concerns every subject", async () => {
    const none = await read();
    assert.deepEqual([none.horizon, none.latestOf("user:alice")], [0, 0]);
    await note("user:alice", "user:bob", "user:alice");
    const first = await read();
    assert.deepEqual([first.latestOf("user:alice"), first.latestOf("user:bob"), first.latestOf("user:eve")], [1, 2, 0]);
    await note("user:alice");
    const second = await read();
    assert.ok(second.latestOf("user:alice") > first.horizon);
    assert.equal(second.latestOf("user:bob"), 2);
    await note("role:easy#assignee", "app:com.example.notes");
    const third = await read();
    assert.ok(third.latestOf("user:eve") > second.horizon);
    assert.equal(third.horizon, third.latestOf("user:eve"));
  });

  it("that are not yet committed are within the horizon and are not read", async () => {
    const before = await read();
    await fixture.database.transaction(async (tx) => {
      await notePermissionChanges(tx, ["user:carol"]);
      const during = await read();
      assert.ok(during.horizon > before.horizon);
      assert.equal(during.latestOf("user:carol"), before.latestOf("user:carol"));
    });
    assert.ok((await read()).latestOf("user:carol") > before.horizon);
  });

  it("of two concurrent transactions have different numbers", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => note("user:dave", `user:u${n}`, "role:x#y")));
    const { latestOf, horizon } = await read();
    assert.equal(new Set(Array.from({ length: 20 }, (_, n) => `user:u${n}`).map(() => latestOf("user:dave"))).size, 1);
    assert.ok(latestOf("user:dave") <= horizon);
  });

  it("of a single user concern only that user", () => {
    assert.equal(changedSubject("user:alice"), "user:alice");
    for (const user of ["user:*", "role:easy#assignee", "app:com.example.notes", "group:a#member"])
      assert.equal(changedSubject(user), undefined, user);
  });
});
