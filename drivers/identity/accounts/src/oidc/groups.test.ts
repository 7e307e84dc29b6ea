import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { GroupMemberships, ToldGroups } from "@appserver/kernel/ports";
import { FakeClock, until } from "@appserver/testing/kit";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import { AccountsUnderTest, Browser, failed, type Page, type Server } from "../../test/accounts-under-test.ts";
import { groupsOfClaims } from "./groups-of-claims.ts";

describe("groups of claims", () => {
  const cases: readonly (readonly [object, string, ReturnType<typeof groupsOfClaims>])[] = [
    [{ groups: ["a", "b"] }, "groups", { groups: ["a", "b"] }],
    [{ groups: [] }, "groups", { groups: [] }],
    [{ groups: "a" }, "groups", { groups: ["a"] }],
    [{ "https://example.com/groups": ["a"] }, "https://example.com/groups", { groups: ["a"] }],
    [{ realm_access: { roles: ["a"] } }, "realm_access.roles", { groups: ["a"] }],
    [{}, "groups", { untold: "absent" }],
    [{ groups: null }, "groups", { untold: "absent" }],
    [{}, "constructor", { untold: "absent" }],
    [{ groups: [{ name: "a" }] }, "groups", { untold: "malformed" }],
    [{ groups: 7 }, "groups", { untold: "malformed" }],
    [{ _claim_names: { groups: "src1" }, _claim_sources: { src1: {} } }, "groups", { untold: "too many" }],
    [{ hasgroups: true }, "groups", { untold: "too many" }],
  ];
  for (const [claims, claim, expected] of cases)
    it(`${JSON.stringify(claims)} tells ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(groupsOfClaims(claims as Record<string, unknown>, claim), expected);
    });
});

describe("groups of people who sign in at a provider", () => {
  const scopes = ["openid", "email", "profile", "offline_access"];
  const told: ToldGroups[] = [];
  const kept: string[] = [];
  let failure: Error | undefined;
  const groups: GroupMemberships = {
    replace: async (each) => {
      if (failure) throw failure;
      told.push(each);
    },
    keep: async ({ userId }) => kept.push(userId) > 0,
  };
  const clock = new FakeClock(Date.now());
  let accounts: AccountsUnderTest;
  let provider: OpenidProvider;
  let strict: OpenidProvider;
  let brief: OpenidProvider;
  let server: Server;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    provider = await OpenidProvider.start("lenient", { scopes, groupsClaim: "groups" });
    strict = await OpenidProvider.start("strict", { scopes, groupsClaim: "realm_access.roles", groupsMode: "strict" });
    brief = await OpenidProvider.start("brief", { groupsClaim: "groups" });
    server = await accounts.server({ providers: [provider, strict, brief].map(({ options }) => options), groups, clock });
  });
  beforeEach(() => {
    told.length = 0;
    kept.length = 0;
    failure = undefined;
  });
  after(async () => {
    await accounts.close();
    for (const each of [provider, strict, brief]) await each?.stop();
  });

  async function signIn(at: OpenidProvider, browser = new Browser(server)): Promise<{ browser: Browser; page: Page }> {
    const begun = await browser.post("/self-service/login?flow=login", { provider: at.options.id });
    const { pathname, search } = new URL(await at.visit(begun.body.redirect_browser_to ?? ""));
    return { browser, page: await browser.get(`${pathname}${search}`) };
  }

  const query = (text: string) => accounts.database.database.query(text);
  /** All sessions are due. */
  async function refresh(): Promise<void> {
    await query("update accounts.provider_sessions set due_at = now()");
    await clock.advance(20_000);
    await until("all are read, tried again later, or ended", async () => {
      const { rows } = await query(
        `select from accounts.provider_sessions
         where due_at <= now() or due_at between now() + interval '65 s' and now() + interval '2 minutes'`,
      );
      return rows.length === 0;
    });
  }
  const hasEnded = (browser: Browser) => until("the session has ended", () => browser.whoami().then(() => false, failed));

  it("are reported before there is a session, and again when it is renewed", async () => {
    provider.signsIn({ sub: "ada", name: "Ada", groups: ["finance"] });
    const { browser } = await signIn(provider);
    const { userId } = await browser.whoami();
    provider.tells({ sub: "ada", name: "Ada", groups: [] });
    await refresh();
    await refresh();
    const source = "oidc:lenient";
    assert.deepEqual(told, [
      { userId, source, groups: ["finance"] },
      { userId, source, groups: [] },
      { userId, source, groups: [] },
    ]);
    const { rows } = await accounts.database.database.query<{ sealed: string }>("select sealed from accounts.secrets");
    assert.equal(rows.length, 1, "the refresh token is kept sealed, and replaced");
    failure = new Error("the authorization service is down");
    const { page } = await signIn(provider);
    assert.deepEqual([page.status, page.location], [303, "/login/error?id=unavailable"]);
  });

  it("end with the account at the provider, on the next refresh", async () => {
    provider.signsIn({ sub: "left", name: "Left", groups: [] });
    const { browser } = await signIn(provider);
    await browser.whoami();
    provider.forgets("left");
    await refresh();
    await hasEnded(browser);
  });

  it("that are not told refuse the sign-in if they are required, and keep the last known otherwise", async () => {
    strict.signsIn({ sub: "grace", name: "Grace", realm_access: { roles: ["a"] } });
    const { browser } = await signIn(strict);
    assert.equal(told.length, 1);
    strict.signsIn({ sub: "grace", name: "Grace" });
    const again = await signIn(strict);
    assert.equal(again.page.location, "/login/error?id=groups");
    await assert.rejects(again.browser.whoami());
    await refresh();
    await hasEnded(browser);

    told.length = 0;
    provider.signsIn({ sub: "many", name: "Many", _claim_names: { groups: "src1" } });
    const { browser: many } = await signIn(provider);
    assert.deepEqual(kept, [(await many.whoami()).userId]);
    assert.deepEqual(told, []);
  });

  it("end the session of a provider that is not configured any more", async () => {
    const gone = await OpenidProvider.start("gone", { scopes, groupsClaim: "groups" });
    const other = await accounts.server({ providers: [gone.options], groups });
    const browser = new Browser(other);
    gone.signsIn({ sub: "g", name: "G", groups: [] });
    await signIn(gone, browser);
    await gone.stop();
    await query("update accounts.provider_sessions set due_at = now() - interval '2 hours' where provider_id = 'gone'");
    await clock.advance(20_000);
    await hasEnded(browser);
  });

  it("end the session after eight hours if they cannot be read again", async () => {
    brief.signsIn({ sub: "brief", name: "Brief", groups: ["a"] });
    const { browser } = await signIn(brief);
    const { expiresAt } = await browser.whoami();
    const hours = ((expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
    assert.ok(hours > 7.9 && hours <= 8, `${hours}`);
  });

  it("are kept while the provider does not respond; strictly, only for an hour", async () => {
    await query("delete from accounts.sessions");
    const outage = await OpenidProvider.start("outage", { scopes, groupsClaim: "groups", groupsMode: "strict" });
    const other = await accounts.server({ providers: [outage.options], groups, clock });
    const browser = new Browser(other);
    outage.signsIn({ sub: "o", name: "O", groups: ["a"] });
    await signIn(outage, browser);
    const { userId } = await browser.whoami();
    await outage.stop();
    await refresh();
    assert.deepEqual(kept, [userId]);
    await browser.whoami();
    await query("update accounts.provider_sessions set read_at = now() - interval '61 minutes'");
    await refresh();
    await hasEnded(browser);
  });
});
