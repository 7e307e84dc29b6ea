import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FakeClock, until } from "@appserver/testing/kit";
import { AccountsUnderTest, account, Browser, failed, type Server } from "../../test/accounts-under-test.ts";

describe("sessions", () => {
  let accounts: AccountsUnderTest;
  let one: Server;
  let two: Server;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    one = await accounts.server();
    two = await accounts.server();
  });
  after(() => accounts.close());

  it("are checked without a statement, on each server, and end on all servers", async () => {
    const { browser, userId } = await account(one);
    const told: (string | undefined)[] = [];
    two.identity.provider.onSessionsEnded?.((id) => told.push(id));
    const elsewhere = new Browser(two);
    elsewhere.token = browser.token;
    await until("both servers answer from memory", async () => {
      for (const each of [one, two]) each.statements.length = 0;
      await Promise.all([browser.whoami(), elsewhere.whoami()]);
      return one.statements.length === 0 && two.statements.length === 0;
    });
    for (let count = 0; count < 100; count += 1) await elsewhere.whoami();
    assert.deepEqual(two.statements, []);
    const headers = { authorization: `Bearer cookie.${browser.token}` };
    const answer = await one.identity.signIn.signOut({ headers } as never, { path: "/", url: "https://platform.test/" });
    assert.match(answer?.cookies[0] ?? "", /^appserver_session=; Max-Age=0; .*Secure/);
    await until("the other server refuses it", () => elsewhere.whoami().then(() => false, failed));
    assert.deepEqual(told, [userId]);
  });

  it("end after their time, and when they are not used", async () => {
    const { database } = accounts.database;
    for (const change of ["ends_at = now()", "used_at = now() - interval '25 h'"]) {
      const { browser, userId } = await account(one);
      await database.query(`update accounts.sessions set ${change} where person_id = $1`, [userId]);
      const fresh = new Browser(await accounts.server());
      fresh.token = browser.token;
      await assert.rejects(fresh.whoami(), failed, change);
    }
  });

  it("end with the account, if it is disabled or deleted by SQL", async () => {
    for (const change of [
      "update accounts.people set state = 'disabled' where id = $1",
      "delete from accounts.people where id = $1",
    ]) {
      const { browser, userId } = await account(one);
      await until("it answers from memory", async () => {
        one.statements.length = 0;
        await browser.whoami();
        return one.statements.length === 0;
      });
      await accounts.database.database.query(change, [userId]);
      await until("it has ended", () => browser.whoami().then(() => false, failed));
    }
  });

  it("have their last use written once a minute", async () => {
    const clock = new FakeClock(Date.now());
    const server = await accounts.server({ clock });
    const { browser, userId } = await account(server);
    await until("it answers from memory", async () => {
      server.statements.length = 0;
      await browser.whoami();
      return server.statements.length === 0;
    });
    const written = () => server.statements.filter((text) => text.includes("update accounts.sessions")).length;
    for (const minute of [1, 2, 3]) {
      for (let count = 0; count < 12; count += 1) {
        await clock.advance(5_000);
        await browser.whoami();
      }
      await until("it is written", async () => {
        await clock.advance(500);
        await browser.whoami();
        return written() === minute;
      });
    }
    const { rows } = await accounts.database.database.query<{ usedAt: Date }>(
      'select used_at as "usedAt" from accounts.sessions where person_id = $1',
      [userId],
    );
    assert.ok((rows[0]?.usedAt.getTime() ?? 0) > Date.now() + 60_000);
  });
});
