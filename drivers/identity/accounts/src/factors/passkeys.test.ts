import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { AccountsUnderTest, account, Browser, password, type Server } from "../../test/accounts-under-test.ts";
import {
  addPasskey,
  fieldsOf,
  fieldValue,
  isAsked,
  login,
  messageOf,
  passkeyIn,
  secondStep,
  settings,
} from "../../test/second-factor.ts";
import { type CeremonyOptions, type Deviation, SoftwareAuthenticator } from "../../test/software-authenticator.ts";

const ownUrl = "https://platform.test";
const begin = "/self-service/login/browser";

describe("passkeys", () => {
  let accounts: AccountsUnderTest;
  let [one, two]: Server[] = [];
  before(async () => {
    accounts = await AccountsUnderTest.open();
    one = await accounts.server({ ownUrl });
    two = await accounts.server({ ownUrl });
  });
  after(() => accounts.close());
  const at = (server: Server | undefined): Server => server as Server;

  async function withPasskey() {
    const known = await account(at(one));
    const authenticator = new SoftwareAuthenticator(ownUrl);
    const page = await addPasskey(known.browser, authenticator, "Ada\u0007's key");
    assert.match(messageOf(page), /The passkey was added/);
    return { ...known, authenticator, page };
  }

  /** Returns a browser that shows the sign-in, and its options. */
  async function visitor(server = at(one)): Promise<{ browser: Browser; options: CeremonyOptions }> {
    const browser = new Browser(server, "198.51.100.30");
    return { browser, options: passkeyIn(await browser.get(begin)) as CeremonyOptions };
  }

  const send = (browser: Browser, passkey: string) => browser.post(login, { passkey });

  it("sign in by themselves, and are listed with their name", async () => {
    const { authenticator, userId, page } = await withPasskey();
    assert.match(JSON.stringify(page.body), /Remove: Ada's key, added [\d-]+, not used yet/);
    const { browser, options } = await visitor();
    assert.deepEqual(
      { ...options, challenge: "" },
      { challenge: "", rpId: "platform.test", userVerification: "required", timeout: 300_000, allowCredentials: [] },
      "the options name no account",
    );
    assert.equal((await send(browser, authenticator.get(options))).status, 200);
    assert.equal((await browser.whoami()).userId, userId);
    const { rows } = await accounts.database.database.query<{ methods: string[] }>(
      "select methods from accounts.sessions where person_id = $1 order by created_at desc limit 1",
      [userId],
    );
    assert.deepEqual(rows[0]?.methods, ["passkey"]);
  });

  it("are a second factor after the password, of the same person", async () => {
    const [{ authenticator, email, userId }, other] = [await withPasskey(), await withPasskey()];
    const browser = new Browser(at(one));
    assert.ok(isAsked(await browser.signIn(email, password)));
    const form = await browser.get("/self-service/login/flows?id=second-factor");
    const options = passkeyIn(form) as CeremonyOptions & { allowCredentials: { id: string }[] };
    assert.deepEqual(
      options.allowCredentials.map(({ id }) => id),
      [authenticator.credentialId],
    );
    assert.deepEqual(fieldsOf(form), ["lookup_secret", "method", "passkey"]);
    const foreign = await browser.post(secondStep, { passkey: other.authenticator.get(options) });
    assert.match(messageOf(foreign), /was not accepted/);
    assert.equal(browser.token, undefined);
    const next = passkeyIn(foreign) as CeremonyOptions;
    assert.equal((await browser.post(secondStep, { passkey: authenticator.get(next) })).status, 200);
    assert.equal((await browser.whoami()).userId, userId);
  });

  it("prove that it is still the same person, and no other", async () => {
    const [{ authenticator, browser, userId }, other] = [await withPasskey(), await withPasskey()];
    const options = passkeyIn(await browser.get(`${begin}?refresh=true`)) as CeremonyOptions;
    const before = browser.token;
    assert.equal((await browser.post(login, { refresh: "true", passkey: other.authenticator.get(options) })).status, 400);
    assert.equal(browser.token, before);
    const again = passkeyIn(await browser.get(`${begin}?refresh=true`)) as CeremonyOptions;
    assert.equal((await browser.post(login, { refresh: "true", passkey: authenticator.get(again) })).status, 200);
    assert.notEqual(browser.token, before);
    assert.equal((await browser.whoami()).userId, userId);
  });

  it("are twenty at most", async () => {
    const { browser, userId } = await withPasskey();
    await accounts.database.database.query(
      `insert into accounts.passkeys (credential_id, person_id, rp_id, public_key, counter, transports, name)
       select 'more-' || n || $1::uuid, $1::uuid, 'platform.test', '', 0, '{}', 'More' from generate_series(1, 19) n`,
      [userId],
    );
    assert.match(messageOf(await browser.post(settings, { passkey_add: "true" })), /Remove a passkey first/);
  });

  it("are not offered without TLS, and not accepted there", async () => {
    const plain = await accounts.server({ ownUrl: "http://platform.test" });
    const { browser } = await account(plain);
    assert.equal(passkeyIn(await new Browser(plain).get(begin)), undefined);
    assert.ok(!fieldsOf(await browser.get("/self-service/settings/browser")).includes("passkey_add"));
    assert.match(messageOf(await browser.post(settings, { passkey_add: "true" })), /cannot be used at this address/);
  });

  describe("attacks", () => {
    const deviations: readonly (readonly [string, Deviation])[] = [
      ["another origin", { origin: "https://platform.test.evil.example" }],
      ["the same host without TLS", { origin: "http://platform.test" }],
      ["another relying party", { rpId: "evil.example" }],
      ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
      ["no verification of the person", { isVerified: false }],
      ["another ceremony", { type: "webauthn.create" }],
      ["the id of another person", { userHandle: Buffer.from("other").toString("base64url") }],
    ];

    it("signatures that deviate open nothing", async () => {
      const { authenticator } = await withPasskey();
      for (const [name, deviation] of deviations) {
        const { browser, options } = await visitor();
        const page = await send(browser, authenticator.get(options, deviation));
        assert.deepEqual([page.status, browser.token], [400, undefined], name);
        assert.match(messageOf(page), /was not accepted/);
      }
      const { browser, options } = await visitor();
      assert.equal((await send(browser, authenticator.get(options))).status, 200, "an honest one does");
    });

    it("new passkeys that deviate are not added", async () => {
      const { browser } = await account(at(one));
      for (const [name, deviation] of deviations.slice(0, 5)) {
        const asked = await browser.post(settings, { passkey_add: "true" });
        const authenticator = new SoftwareAuthenticator(ownUrl);
        const passkey = authenticator.create(passkeyIn(asked) as CeremonyOptions, deviation);
        const fields = { passkey, passkey_setup_state: fieldValue(asked, "passkey_setup_state") };
        assert.match(messageOf(await browser.post(settings, fields)), /was not accepted/, name);
      }
    });

    it("a signature works once, in one browser, by two servers at the same time", async () => {
      const { authenticator } = await withPasskey();
      const { browser, options } = await visitor();
      const signed = authenticator.get(options);
      const thief = await visitor();
      assert.equal((await send(thief.browser, signed)).status, 400, "the challenge is of another browser");
      const kept = [browser.copy(), browser.copy(at(two)), browser.copy(at(two))];
      const pages = await Promise.all(kept.map((each) => send(each, signed)));
      assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400, 400]);
      const later = await send(browser, authenticator.get(options));
      assert.equal(later.status, 400, "another signature of the same challenge");
      const next = passkeyIn(later) as CeremonyOptions;
      assert.notEqual(next.challenge, options.challenge);
      assert.equal((await send(browser, authenticator.get(next))).status, 200);
    });

    it("a passkey is added once, by its owner", async () => {
      const { browser } = await account(at(one));
      const authenticator = new SoftwareAuthenticator(ownUrl);
      const asked = await browser.post(settings, { passkey_add: "true" });
      const fields = {
        passkey: authenticator.create(passkeyIn(asked) as CeremonyOptions),
        passkey_setup_state: fieldValue(asked, "passkey_setup_state"),
      };
      assert.equal((await browser.post(settings, fields)).status, 200);
      await browser.post(settings, { passkey_remove: authenticator.credentialId });
      assert.equal((await browser.post(settings, fields)).status, 400, "the challenge was used");
      assert.equal((await addPasskey(browser, authenticator)).status, 200);
      const mallory = await account(at(one));
      assert.match(messageOf(await addPasskey(mallory.browser, authenticator)), /was added already/);
    });

    it("a counter that does not rise is refused: a copy of the passkey may exist", async () => {
      const { authenticator } = await withPasskey();
      for (const [counter, status] of [
        [7, 200],
        [7, 400],
        [6, 400],
        [0, 400],
        [8, 200],
      ] as const) {
        const { browser, options } = await visitor();
        assert.equal((await send(browser, authenticator.get(options, { counter }))).status, status, `${counter}`);
      }
      const [first, second] = [await visitor(), await visitor(at(two))];
      const both = [first, second].map(({ browser, options }) => send(browser, authenticator.get(options, { counter: 9 })));
      assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [200, 400]);
    });

    it("removed passkeys, those of disabled people and those of an earlier host open nothing", async () => {
      const { database } = accounts.database;
      for (const change of [
        "delete from accounts.passkeys where person_id = $1",
        "update accounts.people set state = 'disabled' where id = $1",
        "update accounts.passkeys set rp_id = 'old.test' where person_id = $1",
      ]) {
        const { authenticator, userId } = await withPasskey();
        const { browser, options } = await visitor();
        await database.query(change, [userId]);
        const page = await send(browser, authenticator.get(options));
        assert.deepEqual([page.status, browser.token], [400, undefined], change);
      }
    });

    it("what is no credential is refused, and strangers store nothing but counted attempts", async () => {
      const { browser, options } = await visitor();
      const stranger = new SoftwareAuthenticator(ownUrl);
      at(one).statements.length = 0;
      for (const text of ["", "null", "[]", "{}", '{"id":1}', '{"id":"a","response":null}', '{"id":"a","response":{}}']) {
        assert.equal((await send(browser, text)).status, 400, text);
      }
      assert.equal((await send(browser, stranger.get(options))).status, 400);
      const writes = at(one).statements.filter((text) => /^(?:insert|update|delete)/.test(text));
      assert.ok(writes.length > 0 && writes.every((text) => text.startsWith("insert into accounts.attempts")), `${writes}`);
    });

    it("attempts are counted with those by password", async () => {
      const address = "198.51.100.99";
      const browser = new Browser(at(one), address);
      const sent = Array.from({ length: 64 }, (_, number) =>
        send(browser.copy(number % 2 === 0 ? at(one) : at(two)), "{}").then(
          ({ status }) => status,
          (error: unknown) => (error instanceof AppError ? error.code : error),
        ),
      );
      const outcomes = await Promise.all(sent);
      assert.equal(outcomes.filter((outcome) => outcome === "RATE_LIMIT_EXCEEDED").length, 4);
      await assert.rejects(new Browser(at(two), address).signIn("a@example.test", "x"));
    });
  });
});
