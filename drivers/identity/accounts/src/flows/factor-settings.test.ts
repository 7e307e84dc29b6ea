import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "@appserver/testing/kit";
import { AccountsUnderTest, account, Browser, failed, password, type Server } from "../../test/accounts-under-test.ts";
import {
  addPasskey,
  codeOf,
  codesIn,
  fieldsOf,
  fieldValue,
  isAsked,
  messageOf,
  passkeyIn,
  secondStep,
  settings,
  setUpTotp,
  textOf,
} from "../../test/second-factor.ts";
import { SoftwareAuthenticator } from "../../test/software-authenticator.ts";

const ownUrl = "https://platform.test";

describe("second factors in the settings", () => {
  let accounts: AccountsUnderTest;
  let server: Server;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    server = await accounts.server({ ownUrl });
  });
  after(() => accounts.close());

  const query = (text: string, ...parameters: unknown[]) => accounts.database.database.query(text, parameters);
  const ended = (browser: Browser) =>
    until("its session has ended", async () => {
      try {
        await browser.whoami();
        return false;
      } catch (error) {
        return failed(error);
      }
    });

  async function withOtherSession(email: string): Promise<Browser> {
    const other = new Browser(server, "203.0.113.30");
    assert.equal((await other.signIn(email, password)).status, 200);
    return other;
  }

  it("an authenticator app is set up by its picture or secret and a code, which gives recovery codes and ends all other sessions", async () => {
    const { browser, email, userId } = await account(server);
    const other = await withOtherSession(email);
    const asked = await browser.post(settings, { totp_setup: "true" });
    const picture = asked.body.ui?.nodes.find(({ type }) => type === "img")?.attributes.src ?? "";
    assert.match(Buffer.from(picture.split("base64,")[1] ?? "", "base64").toString(), /^<svg /);
    const secret = textOf(asked, "totp_secret");
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const state = fieldValue(asked, "totp_setup_state");
    const wrong = await browser.post(settings, { method: "totp", totp_setup_state: state, totp_code: "12345" });
    assert.deepEqual([wrong.status, textOf(wrong, "totp_secret")], [400, secret], "the same secret is shown again");
    assert.ok(
      !isAsked(await new Browser(server).signIn(email, password)),
      "nothing is asked for until a code has confirmed it",
    );
    const page = await browser.post(settings, { method: "totp", totp_setup_state: state, totp_code: codeOf(secret) });
    assert.match(messageOf(page), /is set up.*All other sessions have ended/);
    assert.equal(codesIn(page).length, 12);
    await browser.whoami();
    await ended(other);
    const next = await browser.get("/self-service/settings/browser");
    assert.deepEqual([codesIn(next), textOf(next, "lookup_secret_codes")], [[], "12"], "codes are shown once");
    const { rows } = await accounts.database.database.query<{ sealed: string }>(
      "select sealed from accounts.secrets where person_id = $1 and name = 'totp'",
      [userId],
    );
    assert.equal(rows.length, 1, "rotate-key finds it");
    const half = new Browser(server);
    await half.signIn(email, password);
    const replayed = await half.post(secondStep, { method: "totp", totp_code: codeOf(secret) });
    assert.match(messageOf(replayed), /was used before/, "the code that confirmed it is used up");
  });

  it("a setup belongs to one session", async () => {
    const [{ browser }, mallory] = [await account(server), await account(server)];
    const asked = await mallory.browser.post(settings, { totp_setup: "true" });
    const secret = textOf(asked, "totp_secret");
    const state = fieldValue(asked, "totp_setup_state");
    const page = await browser.post(settings, { method: "totp", totp_setup_state: state, totp_code: codeOf(secret) });
    assert.match(messageOf(page), /began in another session/);
    const passkey = await mallory.browser.post(settings, { passkey_add: "true" });
    const response = new SoftwareAuthenticator(ownUrl).create(passkeyIn(passkey) as never);
    const fields = { passkey_setup_state: fieldValue(passkey, "passkey_setup_state"), passkey: response };
    assert.match(messageOf(await browser.post(settings, fields)), /not accepted/);
  });

  it("each change needs a sign-in of the last minutes", async () => {
    const { browser, userId } = await account(server);
    await addPasskey(browser, new SoftwareAuthenticator(ownUrl));
    await query("update accounts.sessions set proven_at = now() - interval '11 min' where person_id = $1", userId);
    const fresh = browser.copy(await accounts.server({ ownUrl }));
    for (const name of ["totp_setup", "totp_unlink", "recovery_codes_renew", "passkey_add", "passkey_remove"]) {
      assert.equal((await fresh.post(settings, { [name]: "true" })).body.error?.id, "session_refresh_required", name);
    }
  });

  it("new recovery codes replace the earlier ones and end all other sessions", async () => {
    const { browser, email, userId } = await account(server);
    const none = await browser.post(settings, { recovery_codes_renew: "true" });
    assert.match(messageOf(none), /Set one up first/);
    const { codes } = await setUpTotp(accounts, browser, userId);
    const other = new Browser(server);
    await other.signIn(email, password);
    assert.equal((await other.post(secondStep, { method: "lookup_secret", lookup_secret: codes[0] ?? "" })).status, 200);
    const renewed = await browser.post(settings, { recovery_codes_renew: "true" });
    assert.match(messageOf(renewed), /earlier ones no longer work. All other sessions have ended/);
    await ended(other);
    const half = new Browser(server);
    await half.signIn(email, password);
    const [before = "", after = ""] = [codes[1], codesIn(renewed)[0]];
    assert.equal((await half.post(secondStep, { method: "lookup_secret", lookup_secret: before })).status, 400);
    assert.equal((await half.post(secondStep, { method: "lookup_secret", lookup_secret: after })).status, 200);
  });

  it("with the last second factor the recovery codes go, and the sign-in asks for the password only", async () => {
    const { browser, email, userId } = await account(server);
    const authenticator = new SoftwareAuthenticator(ownUrl);
    const { codes } = await setUpTotp(accounts, browser, userId);
    const added = await addPasskey(browser, authenticator);
    assert.deepEqual(codesIn(added), [], "the codes stay as they are");
    const other = new Browser(server);
    await other.signIn(email, password);
    await other.post(secondStep, { method: "lookup_secret", lookup_secret: codes[0] ?? "" });
    const removed = await browser.post(settings, { totp_unlink: "true" });
    assert.match(messageOf(removed), /was removed. All other sessions have ended/);
    await ended(other);
    assert.ok(isAsked(await new Browser(server).signIn(email, password)), "the passkey is a second factor");
    const last = await browser.post(settings, { passkey_remove: authenticator.credentialId });
    assert.match(messageOf(last), /was removed/);
    assert.ok(!fieldsOf(last).includes("recovery_codes_renew"));
    assert.equal((await new Browser(server).signIn(email, password)).status, 200);
    const { rows } = await accounts.database.database.query(
      "select 1 from accounts.recovery_codes where person_id = $1 union all select 1 from accounts.secrets where person_id = $1",
      [userId],
    );
    assert.deepEqual(rows, []);
  });

  it("the only way to sign in cannot be removed", async () => {
    const { browser, userId } = await account(server);
    const [first, second] = [new SoftwareAuthenticator(ownUrl), new SoftwareAuthenticator(ownUrl)];
    await addPasskey(browser, first);
    await addPasskey(browser, second);
    await query("delete from accounts.passwords where person_id = $1", userId);
    const both = [first, second].map(({ credentialId }) => browser.post(settings, { passkey_remove: credentialId }));
    const pages = await Promise.all(both);
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400], "two removals at once leave one");
    assert.match(pages.map(messageOf).join(" "), /only way to sign in/);
    const { browser: mallory } = await account(server);
    const kept = pages[0]?.status === 400 ? first : second;
    const foreign = await mallory.post(settings, { passkey_remove: kept.credentialId });
    assert.match(messageOf(foreign), /no such passkey/);
  });
});
