import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { SmtpMail } from "@appserver/mail-smtp";
import { MailServer, until } from "@appserver/testing/kit";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import {
  AccountsUnderTest,
  account,
  Browser,
  failed,
  invite,
  limited,
  password,
  type Server,
} from "../../test/accounts-under-test.ts";
import { codeOf, fieldsOf, isAsked, login, messageOf, secondStep, settings, setUpTotp } from "../../test/second-factor.ts";
import { signInCosts } from "../../test/sign-in-cost.ts";

describe("the second factor", () => {
  let accounts: AccountsUnderTest;
  let mails: MailServer;
  let provider: OpenidProvider;
  let [one, two]: Server[] = [];
  before(async () => {
    accounts = await AccountsUnderTest.open();
    mails = await MailServer.start();
    provider = await OpenidProvider.start("company");
    const mail = new SmtpMail({ url: mails.url, from: "Platform <platform@example.test>", platformName: "Acme" });
    one = await accounts.server({ mail, providers: [provider.options] });
    two = await accounts.server();
  });
  after(async () => {
    await accounts.close();
    await mails.stop();
    await provider.stop();
  });
  const at = (server: Server | undefined): Server => server as Server;

  async function withTotp() {
    const known = await account(at(one));
    return { ...known, ...(await setUpTotp(accounts, known.browser, known.userId)) };
  }

  /** Returns a browser that has given the password. */
  async function halfSignedIn(email: string, server = at(one)): Promise<Browser> {
    const browser = new Browser(server, "198.51.100.20");
    const page = await browser.signIn(email, password);
    assert.ok(isAsked(page), messageOf(page));
    return browser;
  }

  it("is asked for after the password, and before it there is no session", async () => {
    const { email, secret, userId } = await withTotp();
    const browser = await halfSignedIn(email);
    assert.equal(browser.token, undefined);
    await assert.rejects(async () => await browser.whoami(), failed);
    for (const target of ["browser?aal=aal2", "flows?id=second-factor"]) {
      const form = await browser.get(`/self-service/login/${target}`);
      assert.deepEqual(
        [form.body.id, form.body.requested_aal, fieldsOf(form)],
        ["second-factor", "aal2", ["totp_code", "method", "lookup_secret", "method"]],
      );
    }
    assert.equal((await browser.get("/self-service/settings/browser")).body.error?.id, "session_inactive");
    const wrong = await browser.post(secondStep, { method: "totp", totp_code: "000 00" });
    assert.match(messageOf(wrong), /The code is wrong/);
    assert.equal(browser.token, undefined);
    const code = codeOf(secret);
    const done = await browser.post(secondStep, { method: "totp", totp_code: `${code.slice(0, 3)} ${code.slice(3)}` });
    assert.equal(done.status, 200);
    assert.equal((await browser.whoami()).userId, userId);
    assert.equal(browser.pending, undefined);
    const { rows } = await accounts.database.database.query<{ methods: string[] }>(
      "select methods from accounts.sessions where person_id = $1 order by created_at desc limit 1",
      [userId],
    );
    assert.deepEqual(rows[0]?.methods, ["password", "totp"]);
  });

  it("a code is accepted once, by two servers at the same time, and an earlier one not after it", async () => {
    const { email, secret } = await withTotp();
    const browsers = await Promise.all([halfSignedIn(email), halfSignedIn(email, at(two)), halfSignedIn(email, at(two))]);
    const code = codeOf(secret);
    const pages = await Promise.all(browsers.map((each) => each.post(secondStep, { method: "totp", totp_code: code })));
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400, 400]);
    const late = await halfSignedIn(email);
    const before = await late.post(secondStep, { method: "totp", totp_code: codeOf(secret, -1) });
    assert.match(messageOf(before), /was used before/);
    const after = await late.post(secondStep, { method: "totp", totp_code: codeOf(secret, 1) });
    assert.equal(after.status, 200, "clocks differ by one period");
  });

  it("codes of two periods away are refused", async () => {
    const { email, secret } = await withTotp();
    const browser = await halfSignedIn(email);
    for (const periods of [-3, 3]) {
      const page = await browser.post(secondStep, { method: "totp", totp_code: codeOf(secret, periods) });
      assert.equal(page.status, 400);
    }
  });

  it("a recovery code works once, by two servers at the same time, in any spelling", async () => {
    const { email, codes } = await withTotp();
    assert.equal(new Set(codes).size, 12);
    const [code = "", another = ""] = codes;
    const browsers = await Promise.all([halfSignedIn(email), halfSignedIn(email, at(two))]);
    const fields = { method: "lookup_secret", lookup_secret: ` ${code.toUpperCase().replaceAll("-", " ")}` };
    const pages = await Promise.all(browsers.map((each) => each.post(secondStep, fields)));
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400]);
    const again = await (await halfSignedIn(email)).post(secondStep, fields);
    assert.match(messageOf(again), /none of your recovery codes/);
    const { rows } = await accounts.database.database.query<{ text: string }>(
      "select string_agg(code_key, ' ') as text from accounts.recovery_codes",
    );
    assert.ok(!rows[0]?.text.includes(another), "it is stored as a hash");
    const other = await withTotp();
    const foreign = { method: "lookup_secret", lookup_secret: other.codes[0] ?? "" };
    assert.equal((await (await halfSignedIn(email)).post(secondStep, foreign)).status, 400, "it belongs to one person");
  });

  it("ten guesses of a person in an hour, from all networks and servers together, and the right code after them is refused", async () => {
    const { email, secret, codes } = await withTotp();
    const browser = await halfSignedIn(email);
    const guess = (number: number) => {
      const field =
        number % 2 === 0 ? { method: "totp", totp_code: `${number}00000` } : { method: "lookup_secret", lookup_secret: "x" };
      return browser.copy(number % 3 === 0 ? at(one) : at(two), `203.0.113.${number}`).post(secondStep, field);
    };
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, number) =>
        guess(number + 10).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof AppError ? error.code : error),
        ),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 400).length, 10);
    assert.equal(outcomes.filter((outcome) => outcome === "RATE_LIMIT_EXCEEDED").length, 6);
    await assert.rejects(browser.post(secondStep, { method: "totp", totp_code: codeOf(secret) }), (error) => {
      assert.ok(error instanceof AppError && error.code === "RATE_LIMIT_EXCEEDED");
      const { retry_after: wait } = error.details as { retry_after: number };
      return wait > 3_500 && wait <= 3_600;
    });
    await assert.rejects(browser.post(secondStep, { method: "lookup_secret", lookup_secret: codes[0] ?? "" }), limited);
  });

  it("the first step costs the same and says the same for an unknown address and one with a second factor", async () => {
    const { email } = await withTotp();
    const seen = await signInCosts(at(one), [email, "unknown@example.test"], "192.0.2.78");
    assert.deepEqual(seen[0], seen[1]);
  });

  it("what was begun ends with the password, with the account, and is worth nothing in another cookie", async () => {
    const { email, secret, userId, forget } = await withTotp();
    const { database } = accounts.database;
    const totp = { method: "totp", totp_code: codeOf(secret) };
    const browser = await halfSignedIn(email);
    const stolen = new Browser(at(one));
    stolen.pending = `${browser.pending?.slice(0, -4)}AAAA`;
    const refused = async (each: Browser) => {
      const page = await each.post(secondStep, totp);
      assert.deepEqual([page.status, page.body.error?.id, each.token], [401, "session_aal1_required", undefined]);
    };
    await refused(stolen);
    await refused(new Browser(at(one)));
    const atProvider = new Browser(at(one));
    await atProvider.post(login, { provider: "company" });
    await refused(atProvider);
    await database.query("update accounts.passwords set hash = hash || 'A' where person_id = $1", [userId]);
    await refused(browser);
    await database.query("update accounts.passwords set hash = left(hash, -1) where person_id = $1", [userId]);
    const disabled = await halfSignedIn(email);
    await forget();
    await database.query("update accounts.people set state = 'disabled' where id = $1", [userId]);
    await refused(disabled);
  });

  it("recovery by a letter sets the password and ends in the question", async () => {
    const { email, secret, browser: owner, forget } = await withTotp();
    const browser = new Browser(at(one));
    await browser.post("/self-service/recovery?flow=recovery", { method: "letter", email });
    await until("a letter comes", () => mails.linksTo(email.toLowerCase()).length + mails.linksTo(email).length > 0);
    const [link = ""] = [...mails.linksTo(email.toLowerCase()), ...mails.linksTo(email)];
    const token = link.split("#token=")[1] ?? "";
    const page = await browser.post("/self-service/recovery?flow=recovery", { token, password: "another horse of mine" });
    assert.ok(isAsked(page), messageOf(page));
    assert.equal(browser.token, undefined);
    await until("the other sessions have ended", async () => {
      try {
        await owner.whoami();
        return false;
      } catch (error) {
        return failed(error);
      }
    });
    await forget();
    const done = await browser.post(secondStep, { method: "totp", totp_code: codeOf(secret) });
    assert.equal(done.status, 200);
    await browser.whoami();
  });

  it("an invitation does not go around it", async () => {
    const { email, userId } = await withTotp();
    const { database } = accounts.database;
    await database.query("update accounts.people set state = 'invited' where id = $1", [userId]);
    const { path, userId: invited } = await invite(at(one), email);
    assert.equal(invited, userId);
    const browser = new Browser(at(one));
    const page = await browser.register(path, { name: "Mallory", password: "another horse of mine" });
    assert.ok(isAsked(page), messageOf(page));
    assert.equal(browser.token, undefined);
  });

  it("a provider is responsible for its people: none is asked for there", async () => {
    provider.signsIn({ sub: "1", email: "company@example.test", email_verified: true, name: "One" });
    const browser = new Browser(at(one));
    const enter = async (each: Browser) => {
      const begun = await each.post(login, { provider: "company" });
      const { pathname, search } = new URL(await provider.visit(begun.body.redirect_browser_to ?? ""));
      assert.equal((await each.get(`${pathname}${search}`)).location, "/console");
    };
    await enter(browser);
    const { userId } = await browser.whoami();
    await setUpTotp(accounts, browser, userId);
    const again = new Browser(at(one));
    await enter(again);
    assert.equal((await again.whoami()).userId, userId);
  });

  it("a proof that it is still the same person takes each factor; the password alone is not enough", async () => {
    const { browser, secret, codes, userId, forget } = await withTotp();
    const form = await browser.get("/self-service/login/browser?refresh=true");
    assert.deepEqual(fieldsOf(form), ["password", "method", "totp_code", "method", "lookup_secret", "method"]);
    const factors: Record<string, string>[] = [
      { method: "totp", totp_code: codeOf(secret) },
      { method: "lookup_secret", lookup_secret: codes[1] ?? "" },
    ];
    for (const factor of factors) {
      await accounts.database.database.query(
        "update accounts.sessions set proven_at = now() - interval '11 min' where person_id = $1",
        [userId],
      );
      const fresh = browser.copy(await accounts.server());
      const change = { recovery_codes_renew: "true" };
      assert.equal((await fresh.post(settings, change)).body.error?.id, "session_refresh_required");
      const wrong = { ...factor, totp_code: "123", lookup_secret: "x" };
      assert.equal((await fresh.post(login, { refresh: "true", ...wrong })).status, 400);
      assert.equal((await fresh.post(login, { refresh: "true", ...factor })).status, 200);
      assert.equal((await fresh.post(settings, { totp_setup: "true" })).status, 200);
      browser.token = fresh.token;
    }
    await forget();
    assert.ok(isAsked(await browser.post(login, { refresh: "true", password, method: "password" })));
    assert.equal((await browser.post(secondStep, { method: "totp", totp_code: codeOf(secret) })).status, 200);
    assert.equal((await browser.whoami()).userId, userId);
  });

  it("the sign-out forgets what was begun", async () => {
    const { signIn } = at(one).identity;
    const answer = await signIn.signOut({ headers: {} } as never, { path: "/", url: "http://platform.test/" });
    assert.ok(
      answer?.cookies.some((cookie) => cookie.startsWith("appserver_flow=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")),
    );
  });
});
