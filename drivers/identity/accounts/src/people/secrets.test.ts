import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { SecretSeal } from "@appserver/kernel/ports";
import { plainSeal } from "@appserver/testing/kit";
import { AccountsUnderTest, account } from "../../test/accounts-under-test.ts";
import { Secrets } from "./secrets.ts";

/** Seals with one key and opens what any of them sealed. */
function keyed(...keys: readonly string[]): SecretSeal {
  return {
    seal: async (...place) => `${keys[0]}:${await plainSeal.seal(...place)}`,
    open: async (owner, name, sealed) => {
      const [, key = "", text = ""] = /^(\w+):(.*)$/s.exec(sealed) ?? [];
      assert.ok(keys.includes(key), `the key ${key} is not configured`);
      return await plainSeal.open(owner, name, text);
    },
  };
}

let accounts: AccountsUnderTest;
before(async () => {
  accounts = await AccountsUnderTest.open();
});
after(() => accounts.close());

it("seals secrets again with the newest key, keeps what no key opens, and deletes those of a session with it", async () => {
  const { database } = accounts.database;
  const { userId: personId } = await account(await accounts.server());
  const session = await database.query<{ id: string }>("select id from accounts.sessions where person_id = $1", [personId]);
  const sessionId = session.rows[0]?.id;
  await new Secrets(keyed("old")).keep(database, { personId, name: "one" }, "first");
  await new Secrets(keyed("old")).keep(database, { personId, name: "two", sessionId }, "second");
  await new Secrets(keyed("lost")).keep(database, { personId, name: "three" }, "third");

  const unreadable = await new Secrets(keyed("new", "old")).reseal(database);
  assert.deepEqual(unreadable, [{ owner: `person:${personId}`, name: "three", problem: "the key lost is not configured" }]);
  const after = new Secrets(keyed("new"));
  assert.equal(await after.read(database, { personId, name: "one" }), "first");
  assert.equal(await after.read(database, { personId, name: "two" }), "second");

  await database.query("delete from accounts.sessions where id = $1", [sessionId]);
  assert.equal(await after.read(database, { personId, name: "two" }), undefined);
});
