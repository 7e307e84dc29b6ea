import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations, SqlLeases, SystemClock } from "@appserver/kernel";
import { createTestDatabase, recordsMigrations, startTestPostgres } from "@appserver/testing/kit";
import { LeaseCommandLock } from "../src/adapters/lease-command-lock.ts";

describe("command lock on PostgreSQL", async () => {
  const postgres = await startTestPostgres();
  const { database, stop: dropDatabase } = await createTestDatabase(postgres);
  const lockOf = (holder: string) => new LeaseCommandLock(new SqlLeases({ database, holder }), new SystemClock());
  const [a, b] = [lockOf("a"), lockOf("b")];

  before(() => database.migrate([...platformMigrations, ...recordsMigrations]));
  after(async () => {
    await dropDatabase();
    await postgres.stop();
  });

  test("a command waits for a short check of the platform", async () => {
    const { promise: looked, resolve: endLook } = Promise.withResolvers<void>();
    const { promise: looking, resolve: begun } = Promise.withResolvers<void>();
    const look = a.runIfFree("com.example.looked", () => {
      begun();
      return looked;
    });
    await looking;
    const order: string[] = [];
    const command = b.run("com.example.looked", async () => order.push("command"));
    order.push("look");
    endLook();
    await Promise.all([look, command]);
    assert.deepEqual(order, ["look", "command"]);
  });

  test("the wait is limited: CONFLICT, and nothing ran", async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { promise: running, resolve: begun } = Promise.withResolvers<void>();
    const first = a.run("com.example.busy", () => {
      begun();
      return ended;
    });
    await running;
    await assert.rejects(
      b.run("com.example.busy", () => assert.fail("ran together with another command")),
      { code: "CONFLICT", message: "another command is running on com.example.busy; try again" },
    );
    assert.deepEqual(await b.runIfFree("com.example.busy", () => assert.fail("ran together with a command")), { held: false });
    end();
    await first;
  });

  test("the caller gets the error that its command throws, and the lock is free again", async () => {
    await assert.rejects(
      a.run("com.example.failing", () => Promise.reject(new Error("no"))),
      /^Error: no$/,
    );
    assert.equal(await b.run("com.example.failing", async () => "done"), "done");
  });
});
