import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "@appserver/testing/kit";
import { AccountsUnderTest, account, Browser, failed, password, type Server } from "../../test/accounts-under-test.ts";

describe("the settings", () => {
  let accounts: AccountsUnderTest;
  let one: Server;
  let two: Server;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    one = await accounts.server();
    two = await accounts.server();
  });
  after(() => accounts.close());

  it("list the sessions, and end one or all others", async () => {
    const { browser, email } = await account(one);
    const [phone, tablet] = [new Browser(two, "203.0.113.4"), new Browser(two, "203.0.113.5")];
    await phone.signIn(email, password);
    await tablet.signIn(email, password);
    const shown = await browser.get("/self-service/settings/browser");
    const ends = shown.body.ui?.nodes.filter(({ attributes }) => attributes.name === "session_end") ?? [];
    assert.equal(ends.length, 2);
    const ofPhone = ends.find(({ meta }) => meta.label?.text.includes("Firefox on Linux, 203.0.113.4,"));
    await browser.post("/self-service/settings?flow=settings", { session_end: ofPhone?.attributes.value ?? "" });
    await until("the phone is signed out", () => phone.whoami().then(() => false, failed));
    await tablet.whoami();
    await browser.post("/self-service/settings?flow=settings", { sessions_end_others: "true" });
    await until("the tablet is signed out", () => tablet.whoami().then(() => false, failed));
    await browser.whoami();
  });

  it("cannot end the session of another person", async () => {
    const [{ browser }, other] = [await account(one), await account(one)];
    const { rows } = await accounts.database.database.query<{ id: string }>(
      "select id from accounts.sessions where person_id = $1",
      [other.userId],
    );
    await browser.post("/self-service/settings?flow=settings", { session_end: rows[0]?.id ?? "" });
    await other.browser.whoami();
    assert.equal((await new Browser(one).get("/self-service/settings/browser")).body.error?.id, "session_inactive");
  });

  it("a new name and a new address are seen by all servers", async () => {
    const { browser } = await account(one);
    const elsewhere = new Browser(two);
    elsewhere.token = browser.token;
    await elsewhere.whoami();
    await browser.post("/self-service/settings?flow=settings", { method: "profile", name: "Grace" });
    await until("the name has changed", async () => (await elsewhere.whoami()).displayName === "Grace");
    const changed = "update accounts.people set email = 'grace@new.test' where id = $1";
    await accounts.database.database.query(changed, [(await elsewhere.whoami()).userId]);
    await until("the address has changed", async () => (await elsewhere.whoami()).email === "grace@new.test");
  });

  it("a new password needs a sign-in of the last minutes, and ends all other sessions", async () => {
    const { browser, email, userId } = await account(one);
    const other = new Browser(one);
    await other.signIn(email, password);
    const ofPerson = "update accounts.sessions set proven_at = now() - interval '11 min' where person_id = $1";
    await accounts.database.database.query(ofPerson, [userId]);
    const fresh = new Browser(await accounts.server());
    fresh.token = browser.token;
    const change = { method: "password", password: "another horse of mine" };
    const refused = await fresh.post("/self-service/settings?flow=settings", change);
    assert.equal(refused.body.error?.id, "session_refresh_required");
    const form = await fresh.get("/self-service/login/browser?refresh=true");
    assert.ok(!form.body.ui?.nodes.some(({ attributes }) => attributes.name === "identifier"));
    const wrong = await fresh.post("/self-service/login?flow=login", { refresh: "true", password: "wrong" });
    assert.equal(wrong.body.ui?.messages?.[0]?.text, "The password is wrong.");
    assert.equal((await fresh.post("/self-service/login?flow=login", { refresh: "true", password })).status, 200);
    assert.equal((await fresh.post("/self-service/settings?flow=settings", change)).status, 200);
    assert.equal((await fresh.whoami()).userId, userId);
    for (const ended of [browser, other]) await until("it is signed out", () => ended.whoami().then(() => false, failed));
    assert.equal((await new Browser(one).signIn(email, password)).status, 400);
    assert.equal((await new Browser(one).signIn(email, change.password)).status, 200);
  });
});
