import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import { AccountsUnderTest, Browser, type Page, type Server } from "../../test/accounts-under-test.ts";
import { Memberships, ScimClient, scimToken } from "../../test/scim-client.ts";

describe("the sign-in of people that SCIM made", () => {
  let accounts: AccountsUnderTest;
  let linking: OpenidProvider;
  let careful: OpenidProvider;
  let server: Server;
  let scim: ScimClient;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    linking = await OpenidProvider.start("linking", { linkByEmail: "verified", allowedDomains: ["example.test"] });
    careful = await OpenidProvider.start("careful");
    const providers = [linking, careful].map(({ options }) => options);
    server = await accounts.server({ providers, scimToken, groups: new Memberships() });
    scim = new ScimClient(server);
  });
  after(async () => {
    await accounts?.close();
    for (const each of [linking, careful]) await each?.stop();
  });

  async function signIn(browser: Browser, at: OpenidProvider): Promise<Page> {
    const begun = await browser.post("/self-service/login?flow=login", { provider: at.options.id });
    const { pathname, search } = new URL(await at.visit(begun.body.redirect_browser_to ?? ""));
    return await browser.get(`${pathname}${search}`);
  }

  it("a provider with link_by_email: verified leads to the account; any other one is refused", async () => {
    const id = await scim.createUser("ada", { emails: [{ value: "ada@example.test", primary: true }] });
    const claims = { sub: "ada", email: "ADA@example.test", email_verified: true, name: "Ada" };
    careful.signsIn(claims);
    assert.equal((await signIn(new Browser(server), careful)).location, "/login/error?id=address_known");
    linking.signsIn(claims);
    const ada = new Browser(server);
    await signIn(ada, linking);
    assert.equal((await ada.whoami()).userId, id);
    await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    assert.equal((await signIn(new Browser(server), linking)).location, "/login/error?id=disabled");
    await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
    const again = new Browser(server);
    await signIn(again, linking);
    assert.equal((await again.whoami()).userId, id);
  });

  it("a person who has signed in before is not taken over by SCIM", async () => {
    linking.signsIn({ sub: "bob", email: "bob@example.test", email_verified: true, name: "Bob" });
    const bob = new Browser(server);
    await signIn(bob, linking);
    const { userId } = await bob.whoami();
    const body = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName: "bob@example.test" };
    assert.equal((await scim.send("POST", "/Users", body)).status, 409);
    assert.equal((await scim.send("DELETE", `/Users/${userId}`)).status, 404);
    assert.equal((await bob.whoami()).userId, userId);
  });
});
