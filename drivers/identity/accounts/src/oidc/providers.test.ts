import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import { AccountsUnderTest, Browser, type Page, type Server } from "../../test/accounts-under-test.ts";
import { type ForgedToken, ForgingProvider } from "../../test/forging-provider.ts";

const password = "a horse is no battery";
const login = "/self-service/login?flow=login";

describe("the sign-in at OpenID providers", () => {
  let accounts: AccountsUnderTest;
  let [first, second, strict]: OpenidProvider[] = [];
  let server: Server;
  let forgingServer: Server;
  let forging: ForgingProvider;
  const provider = (known: OpenidProvider | undefined): OpenidProvider => known as OpenidProvider;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    first = await OpenidProvider.start("first");
    second = await OpenidProvider.start("second", { linkByEmail: "verified", allowedDomains: [] });
    strict = await OpenidProvider.start("strict", { allowedDomains: ["example.test"] });
    forging = await ForgingProvider.start();
    forgingServer = await accounts.server({ providers: [forging.options] });
    server = await accounts.server({ providers: [first, second, strict].map(({ options }) => options) });
  });
  after(async () => {
    await accounts.close();
    for (const each of [first, second, strict, forging]) await each?.stop();
  });

  /** Presses the button of a provider, and comes back. */
  async function signIn(browser: Browser, at: OpenidProvider, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const begun = await browser.post(login, { provider: at.options.id, ...fields });
    assert.equal(begun.status, 422);
    return await comeBack(browser, await at.visit(begun.body.redirect_browser_to ?? ""));
  }

  function comeBack(browser: Browser, url: string): Promise<Page> {
    const { origin, pathname, search } = new URL(url);
    assert.equal(origin, "http://platform.test");
    return browser.get(`${pathname}${search}`);
  }

  const refused = (page: Page, id: string) => assert.deepEqual([page.status, page.location], [303, `/login/error?id=${id}`]);

  async function personWithPassword(email: string): Promise<Browser> {
    const invited = await server.identity.accounts?.invite({ email, invitedBy: "operator", validMs: 60_000 });
    const browser = new Browser(server);
    assert.equal((await browser.register(invited?.path ?? "", { name: "Local", password })).status, 200);
    return browser;
  }

  it("makes an account at the first time, and leads to the same one afterwards", async () => {
    provider(first).signsIn({ sub: "1", email: "One@example.test", email_verified: true, name: "One" });
    const browser = new Browser(server);
    const shown = await browser.get("/self-service/login/browser?return_to=http://platform.test/apps/x");
    const [button] = shown.body.ui?.nodes.filter(({ group }) => group === "oidc") ?? [];
    assert.equal(button?.meta.label?.text, "Continue with first");
    const returnTo = shown.body.ui?.nodes.find(({ attributes }) => attributes.name === "return_to")?.attributes.value ?? "";
    const page = await signIn(browser, provider(first), { return_to: returnTo });
    assert.deepEqual([page.status, page.location, browser.pending], [303, "/apps/x", undefined]);
    const { userId, displayName } = await browser.whoami();
    assert.equal(displayName, "One");
    const again = new Browser(server);
    await signIn(again, provider(first));
    assert.equal((await again.whoami()).userId, userId);
    provider(second).signsIn({ sub: "1", email: "other@example.test", email_verified: true, name: "Two" });
    const other = new Browser(server);
    await signIn(other, provider(second));
    assert.notEqual((await other.whoami()).userId, userId, "the same id at another issuer is another person");
  });

  it("returns to no other site", async () => {
    provider(first).signsIn({ sub: "1", email: "One@example.test", email_verified: true, name: "One" });
    for (const target of ["https://evil.example/", "//evil.example", "http://platform.test.evil.example/", "/\\evil.example"]) {
      const page = await signIn(new Browser(server), provider(first), { return_to: target });
      assert.match(page.location ?? "", /^\/(?!\/)/);
      assert.doesNotMatch(page.location ?? "", /evil/, target);
    }
  });

  it("enters an account by its address only if both sides have proven it, and the option allows it", async () => {
    await personWithPassword("ada@example.test");
    for (const verified of [false, undefined, "true", "false", 1]) {
      provider(second).signsIn({ sub: `mallory-${verified}`, email: "ada@example.test", email_verified: verified, name: "M" });
      const mallory = new Browser(server);
      await signIn(mallory, provider(second));
      assert.equal((await mallory.whoami()).displayName, "M", `${verified}: another account, without the address`);
    }
    const claims = { sub: "ada", email: "ada@example.test", email_verified: true, name: "Ada" };
    for (const each of [first, second]) {
      provider(each).signsIn(claims);
      refused(await signIn(new Browser(server), provider(each)), "address_known");
    }
    await accounts.database.database.query(
      "update accounts.people set email_proven = true where email_key = 'ada@example.test'",
    );
    refused(await signIn(new Browser(server), provider(first)), "address_known");
    const ada = new Browser(server);
    await signIn(ada, provider(second));
    assert.equal((await ada.whoami()).displayName, "Local");
  });

  it("lets in only people whose address the provider has proven, in the allowed domains", async () => {
    const cases = [
      [{ email: "a@example.test", email_verified: true }, true],
      [{ email: "a@example.test", email_verified: false }, false],
      [{ email: "a@sub.example.test", email_verified: true }, false],
      [{ email: "a@example.test@evil.test", email_verified: true }, false],
      [{}, false],
    ] as const;
    for (const [index, [claims, isAllowed]] of cases.entries()) {
      provider(strict).signsIn({ sub: `domain-${index}`, ...claims });
      const page = await signIn(new Browser(server), provider(strict));
      if (isAllowed) assert.equal(page.location, "/console");
      else refused(page, "domain");
    }
  });

  it("an invited person completes the account with it", async () => {
    const invited = await server.identity.accounts?.invite({
      email: "new@example.test",
      invitedBy: "operator",
      validMs: 60_000,
    });
    const token = invited?.path.split("#token=")[1] ?? "";
    provider(first).signsIn({ sub: "invited", name: "New" });
    const [browser, late] = [new Browser(server), new Browser(server)];
    const begun = await browser.post("/self-service/registration?flow=link", { provider: "first", token });
    const again = await late.post("/self-service/registration?flow=link", { provider: "first", token });
    await comeBack(browser, await provider(first).visit(begun.body.redirect_browser_to ?? ""));
    assert.deepEqual(await browser.whoami().then(({ userId, displayName }) => [userId, displayName]), [invited?.userId, "New"]);
    provider(first).signsIn({ sub: "late", name: "Late" });
    refused(await comeBack(late, await provider(first).visit(again.body.redirect_browser_to ?? "")), "link_used");
  });

  it("is connected with an account by its owner, and disconnected unless it is the last way to sign in", async () => {
    const browser = await personWithPassword("grace@example.test");
    const { userId } = await browser.whoami();
    provider(first).signsIn({ sub: "grace", name: "G" });
    const settings = "/self-service/settings?flow=settings";
    const begun = await browser.post(settings, { provider_connect: "first" });
    const back = await comeBack(browser, await provider(first).visit(begun.body.redirect_browser_to ?? ""));
    assert.equal(back.location, "/login/settings");
    const elsewhere = new Browser(server);
    await signIn(elsewhere, provider(first));
    assert.equal((await elsewhere.whoami()).userId, userId);
    // Another person's identity cannot be connected.
    const other = await personWithPassword("joan@example.test");
    const stolen = await other.post(settings, { provider_connect: "first" });
    refused(await comeBack(other, await provider(first).visit(stolen.body.redirect_browser_to ?? "")), "other_person");
    assert.equal((await elsewhere.post(settings, { provider_disconnect: "first" })).status, 200);
    provider(first).signsIn({ sub: "only", name: "Only" });
    const only = new Browser(server);
    await signIn(only, provider(first));
    const last = await only.post(settings, { provider_disconnect: "first" });
    assert.match(last.body.ui?.messages?.[0]?.text ?? "", /only way/);
  });

  it("proves again that it is the same person, and connects nothing by it", async () => {
    const browser = await personWithPassword("mary@example.test");
    provider(first).signsIn({ sub: "not mary", name: "X" });
    refused(await signIn(browser, provider(first), { refresh: "true" }), "other_person");
    await browser.whoami();
  });

  describe("attacks", () => {
    it("a response that began in another browser, or is sent twice, is refused", async () => {
      provider(first).signsIn({ sub: "victim", name: "V" });
      const attacker = new Browser(server);
      const begun = await attacker.post(login, { provider: "first" });
      const url = await provider(first).visit(begun.body.redirect_browser_to ?? "");
      const victim = new Browser(server);
      refused(await comeBack(victim, url), "other_browser");
      // Also if the victim has begun to sign in.
      await victim.post(login, { provider: "first" });
      refused(await comeBack(victim, url), "not_accepted");
      assert.equal(victim.token, undefined);
      const { pending } = attacker;
      assert.equal((await comeBack(attacker, url)).location, "/console");
      attacker.pending = pending;
      refused(await comeBack(attacker, url), "not_accepted");
    });

    it("a provider that passes a request on to another one signs in no one", async () => {
      // The person begins at `first`, which sends its own request to `second` with the same state, nonce and challenge.
      provider(second).signsIn({ sub: "attacker", name: "Attacker" });
      const victim = new Browser(server);
      const begun = await victim.post(login, { provider: "first" });
      const seen = new URL(begun.body.redirect_browser_to ?? "").searchParams;
      const forged = new URL("/auth", provider(second).options.issuer);
      for (const [name, value] of seen) forged.searchParams.set(name, value);
      forged.searchParams.set("client_id", provider(second).options.clientId);
      forged.searchParams.set("redirect_uri", seen.get("redirect_uri")?.replace("/first", "/second") ?? "");
      const back = await provider(second).visit(forged.href);
      refused(await comeBack(victim, back), "other_browser");
      const begunAgain = await victim.post(login, { provider: "first" });
      const states = new URL(begunAgain.body.redirect_browser_to ?? "").searchParams;
      for (const name of ["state", "nonce", "code_challenge"]) forged.searchParams.set(name, states.get(name) ?? "");
      const mixed = await provider(second).visit(forged.href);
      refused(await comeBack(victim, mixed.replace("/second?", "/first?")), "not_accepted");
      assert.equal(victim.token, undefined);
    });

    it("a provider that does not respond is an outage, not a refusal", async () => {
      const browser = new Browser(forgingServer);
      for (const status of [500, 502, 429]) {
        const begun = await browser.post(login, { provider: "forging" });
        const { searchParams } = new URL(begun.body.redirect_browser_to ?? "");
        forging.status = status;
        const query = `code=c&state=${searchParams.get("state")}`;
        refused(await browser.get(`/self-service/methods/oidc/callback/forging?${query}`), "unavailable");
        forging.status = 200;
      }
    });

    it("a forged ID token is refused: by its signature, algorithm, audience, issuer, nonce and time", async () => {
      const browser = new Browser(forgingServer);
      const attempt = async (forged: ForgedToken) => {
        const begun = await browser.post(login, { provider: "forging" });
        const { searchParams } = new URL(begun.body.redirect_browser_to ?? "");
        forging.nonce = searchParams.get("nonce") ?? "";
        forging.forged = forged;
        return await browser.get(`/self-service/methods/oidc/callback/forging?code=c&state=${searchParams.get("state")}`);
      };
      const hour = 3_600;
      const now = Math.floor(Date.now() / 1_000);
      const forgeries: readonly ForgedToken[] = [
        { signature: "other key" },
        { signature: "none" },
        { signature: "none", header: { alg: "none" } },
        { signature: "public key as secret", header: { alg: "HS256" } },
        { signature: "client secret", header: { alg: "HS256" } },
        { claims: { aud: "another client" } },
        { claims: { aud: ["client", "another"], azp: "another" } },
        { claims: { iss: "https://another.example" } },
        { claims: { nonce: "of another request" } },
        { claims: { nonce: undefined } },
        { claims: { exp: now - hour } },
        { claims: { exp: undefined } },
        { claims: { sub: undefined } },
      ];
      for (const forged of forgeries) refused(await attempt(forged), "not_accepted");
      assert.equal(browser.token, undefined);
      assert.equal((await attempt({})).location, "/console", "only what was forged was wrong");
    });

    it("what was begun under Account ends with its session", async () => {
      const owner = await personWithPassword("owner@example.test");
      const thief = new Browser(server);
      thief.token = owner.token;
      provider(first).signsIn({ sub: "thief", name: "T" });
      const begun = await thief.post("/self-service/settings?flow=settings", { provider_connect: "first" });
      const url = await provider(first).visit(begun.body.redirect_browser_to ?? "");
      const changed = await owner.post("/self-service/settings?flow=settings", {
        method: "password",
        password: "another horse of mine",
      });
      assert.equal(changed.status, 200);
      const back = await comeBack(thief, url);
      assert.match(back.location ?? "", /^\/login\/error/);
      await signIn(thief, provider(first));
      assert.notEqual((await thief.whoami()).userId, (await owner.whoami()).userId);
    });

    it("an invitation opens its account by its address only while it is valid", async () => {
      const invited = await server.identity.accounts?.invite({
        email: "admin@example.test",
        invitedBy: "operator",
        validMs: 60_000,
      });
      await accounts.database.database.query("update accounts.links set ends_at = now() where person_id = $1", [
        invited?.userId,
      ]);
      provider(second).signsIn({ sub: "late admin", email: "admin@example.test", email_verified: true, name: "L" });
      refused(await signIn(new Browser(server), provider(second)), "address_known");
    });

    it("an altered cookie is worth nothing, and an old one neither", async () => {
      provider(first).signsIn({ sub: "v", name: "V" });
      const browser = new Browser(server);
      const begun = await browser.post(login, { provider: "first" });
      const url = await provider(first).visit(begun.body.redirect_browser_to ?? "");
      const { pending = "" } = browser;
      for (const altered of [`${pending.slice(0, -2)}AA`, "", "x", pending.slice(20)]) {
        browser.pending = altered;
        refused(await comeBack(browser, url), "other_browser");
      }
    });
  });
});
