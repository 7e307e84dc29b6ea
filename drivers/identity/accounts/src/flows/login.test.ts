import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { until } from "@appserver/testing/kit";
import { AccountsUnderTest, account, Browser, failed, limited, password, type Server } from "../../test/accounts-under-test.ts";
import { signInCosts } from "../../test/sign-in-cost.ts";

describe("the sign-in", () => {
  let accounts: AccountsUnderTest;
  let one: Server;
  let two: Server;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    one = await accounts.server();
    two = await accounts.server();
  });
  after(() => accounts.close());

  it("takes the address in any spelling, and replaces the session that the browser had", async () => {
    const { browser, email, userId } = await account(one);
    const before = browser.token ?? "";
    const fixed = new Browser(one);
    fixed.token = before;
    const { status } = await fixed.signIn(` ${email.toUpperCase()} `, password);
    assert.equal(status, 200);
    assert.notEqual(fixed.token, before);
    assert.equal((await fixed.whoami()).userId, userId);
    await until("the earlier session has ended", () => browser.whoami().then(() => false, failed));
    assert.equal((await fixed.get("/self-service/login/browser")).body.error?.id, "session_already_available");
  });

  it("costs the same and says the same for a known and an unknown address", async () => {
    const { email } = await account(one);
    const seen = await signInCosts(one, [email, "unknown@example.test"], "192.0.2.77");
    assert.deepEqual(seen[0], seen[1]);
    assert.equal(seen[0]?.hashes, 1);
    assert.match(seen[0]?.text ?? "", /address or the password is wrong/);
  });

  it("a password that is changed while it is checked opens nothing", async () => {
    const { email, userId } = await account(one);
    const browser = new Browser(one);
    const answer = browser.signIn(email, password);
    await until("it is being checked", () => one.statements.at(-1)?.startsWith("insert into accounts.attempts") === true);
    await accounts.database.database.query("update accounts.passwords set hash = 'changed' where person_id = $1", [userId]);
    assert.equal((await answer).status, 400);
    assert.equal(browser.token, undefined);
  });

  it("a form with a character that no database stores is refused", async () => {
    await assert.rejects(
      new Browser(one).signIn("a\0@b", password),
      (error) => error instanceof AppError && error.code === "INVALID_REQUEST",
    );
  });

  it("ten guesses from one network, counted by all servers together", async () => {
    const { email } = await account(one);
    const address = "198.51.100.7";
    const guesses = Array.from({ length: 24 }, (_, number) =>
      new Browser(number % 2 === 0 ? one : (two as Server), address).signIn(email, `guess ${number}`).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof AppError ? error.code : error),
      ),
    );
    const outcomes = await Promise.all(guesses);
    assert.equal(outcomes.filter((outcome) => outcome === 400).length, 10);
    assert.equal(outcomes.filter((outcome) => outcome === "RATE_LIMIT_EXCEEDED").length, 14);
    const right = new Browser(two, address).signIn(email, password);
    await assert.rejects(right, (error) => {
      assert.ok(error instanceof AppError);
      const { retry_after: wait } = error.details as { retry_after: number };
      assert.ok(wait > 800 && wait <= 900, `${wait} s`);
      return true;
    });
    assert.equal((await new Browser(one).signIn(email, password)).status, 200, "its owner is elsewhere");
  });

  it("guesses from many networks do not lock the owner out of a network where they signed in", async () => {
    const { email } = await account(one, "203.0.113.9");
    await new Browser(one, "198.51.100.8").signIn(email, "wrong");
    // The other ninety-nine.
    await accounts.database.database.query(
      `insert into accounts.attempts (key, at)
       select key, at from accounts.attempts, generate_series(1, 99)
       where key like 'account:%' and key not like '%:%:%' and at = (select max(at) from accounts.attempts)`,
    );
    await assert.rejects(new Browser(one, "198.51.100.9").signIn(email, password), limited);
    assert.equal((await new Browser(one, "203.0.113.9").signIn(email, password)).status, 200);
  });
});
