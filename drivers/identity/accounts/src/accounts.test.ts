import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { after, before, describe, it, mock } from "node:test";
import { AppError } from "@appserver/kernel";
import { CuttableRelay, FakeClock, until } from "@appserver/testing/kit";
import { identitySuite } from "../../identity.suite.ts";
import { AccountsUnderTest, Browser, type Server } from "../test/accounts-under-test.ts";

const password = "a horse is no battery";
let lastNumber = 0;

/** Makes an account, and returns the browser that is signed in to it. */
async function account(server: Server, address?: string) {
  lastNumber += 1;
  const email = `Person${lastNumber}@Example.test`;
  const { path, userId } = await invite(server, email);
  const browser = new Browser(server, address);
  const { status } = await browser.register(path, { name: `Person ${lastNumber}`, password });
  assert.equal(status, 200);
  return { browser, email, userId, displayName: `Person ${lastNumber}` };
}

function invite({ identity }: Server, email?: string) {
  assert.ok(identity.accounts);
  return identity.accounts.invite({ email, invitedBy: "operator", validMs: 60_000 });
}

identitySuite("accounts", async () => {
  const accounts = await AccountsUnderTest.open();
  const relay = await CuttableRelay.to(accounts.database.connection);
  const server = await accounts.server({ connection: { ...accounts.database.connection, port: relay.port } });
  return {
    identity: server.identity.provider,
    startSession: async () => {
      const { browser, userId, displayName } = await account(server);
      const value = browser.token ?? "";
      return {
        credentials: [
          { kind: "cookie", value },
          { kind: "bearer", value },
        ],
        userId,
        displayName,
        end: async () => {
          const headers = { cookie: `${server.identity.provider.sessionCookieName}=${value}` };
          await server.identity.signIn.signOut({ headers } as never, { path: "/", url: "https://platform.test/" });
        },
      };
    },
    cutOff: async () => relay.cut(),
    close: async () => {
      relay.stop();
      await accounts.close();
    },
  };
});

describe("accounts", () => {
  let accounts: AccountsUnderTest;
  let [one, two]: Server[] = [];
  before(async () => {
    accounts = await AccountsUnderTest.open();
    [one, two] = [await accounts.server(), await accounts.server()];
  });
  after(() => accounts.close());

  describe("invitations", () => {
    it("the first administrator gets one link, until it has ended or an account is complete", async () => {
      const own = await AccountsUnderTest.open();
      const server = await own.server();
      const prepare = async (id: string): Promise<void> => void prepared.push(id);
      const first = (validMs: number, renews = false) => server.identity.accounts?.inviteFirst({ validMs, renews, prepare });
      const prepared: string[] = [];
      const [link, another] = await Promise.all([first(60_000), first(60_000)]);
      const given = link ?? another;
      assert.ok(given && !(link && another), "two servers that start at once make one link");
      await own.database.database.query("update accounts.links set ends_at = now()");
      const ended = await first(60_000);
      const next = await first(60_000, true);
      assert.deepEqual([ended?.userId, next?.userId], [given.userId, given.userId]);
      assert.deepEqual(prepared, [given.userId, given.userId, given.userId]);
      const browser = new Browser(server);
      const replaced = await browser.register(ended?.path ?? "", { email: "ada@example.test", name: "Ada", password });
      assert.match(replaced.body.error?.reason ?? "", /was used/);
      assert.equal(
        (await browser.register(next?.path ?? "", { email: "ada@example.test", name: "Ada", password })).status,
        200,
      );
      assert.deepEqual((await browser.whoami()).userId, given.userId);
      assert.equal(await first(60_000), undefined);
      await own.close();
    });

    it("a link shows the form, works once, and ends", async () => {
      const { path } = await invite(one as Server, "once@example.test");
      const browser = new Browser(one as Server);
      const token = path.split("#token=")[1] ?? "";
      const shown = await browser.post("/self-service/registration?flow=link", { method: "link", token });
      const email = shown.body.ui?.nodes.find(({ attributes }) => attributes.name === "email");
      assert.equal(email?.attributes.value, "once@example.test");
      const other = await browser.register(path, { email: "mallory@example.test", name: "Once", password });
      assert.equal(other.status, 200);
      assert.equal(
        (await new Browser(one as Server).signIn("mallory@example.test", password)).status,
        400,
        "its address is fixed",
      );
      const again = await new Browser(two as Server).register(path, { name: "Twice", password });
      assert.match(again.body.error?.reason ?? "", /was used/);
      const ended = await invite(one as Server, "late@example.test");
      await accounts.database.database.query("update accounts.links set ends_at = now()");
      assert.match(
        (await browser.register(ended.path, { name: "Late", password })).body.error?.reason ?? "",
        /its time is over/,
      );
    });

    it("a new invitation replaces the earlier one of the same address, until the account is complete", async () => {
      const [first, second] = [
        await invite(one as Server, "again@example.test"),
        await invite(two as Server, "Again@example.test"),
      ];
      assert.equal(first.userId, second.userId);
      const browser = new Browser(one as Server);
      assert.equal((await browser.register(first.path, { name: "A", password })).status, 400);
      const both = [1, 2].map(() => new Browser(two as Server).register(second.path, { name: "A", password }));
      assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [200, 400], "it works once");
      await assert.rejects(
        invite(one as Server, "again@example.test"),
        (error) => error instanceof AppError && error.code === "CONFLICT",
      );
    });

    it("without a link there is no account, and what is wrong in a form is said at its field", async () => {
      const browser = new Browser(one as Server);
      assert.equal((await browser.get("/self-service/registration/browser")).body.error?.id, "self_service_flow_disabled");
      const { path } = await invite(one as Server);
      const { email } = await account(one as Server);
      const cases = [
        [{ email: "no address", name: "A", password }, "email", /no e-mail address/],
        [{ email, name: "A", password }, "email", /Another account/],
        [{ email: "a@b.test", name: " ", password }, "name", /Enter a name/],
        [{ email: "a@b.test", name: "A", password: "short" }, "password", /at least 12/],
        [{ email: "longname@b.test", name: "A", password: "longname@b.test" }, "password", /no password/],
        [{ email: "a@b.test", name: "A", password: "x".repeat(300) }, "password", /at most 256/],
      ] as const;
      for (const [given, field, problem] of cases) {
        const { status, body } = await browser.register(path, given);
        const node = body.ui?.nodes.find(({ attributes }) => attributes.name === field);
        assert.equal(status, 400);
        assert.match(node?.messages.find(({ type }) => type === "error")?.text ?? "", problem);
        assert.equal(browser.token, undefined);
      }
    });
  });

  describe("the sign-in", () => {
    it("takes the address in any spelling, and replaces the session that the browser had", async () => {
      const { browser, email, userId } = await account(one as Server);
      const before = browser.token ?? "";
      const fixed = new Browser(one as Server);
      fixed.token = before;
      const { status } = await fixed.signIn(` ${email.toUpperCase()} `, password);
      assert.equal(status, 200);
      assert.notEqual(fixed.token, before);
      assert.equal((await fixed.whoami()).userId, userId);
      await assert.rejects(browser.whoami(), failed);
      assert.equal((await fixed.get("/self-service/login/browser")).body.error?.id, "session_already_available");
    });

    it("costs the same and says the same for a known and an unknown address", async () => {
      const { email } = await account(one as Server);
      const server = one as Server;
      const hashes = mock.method(crypto, "scrypt");
      syncBuiltinESMExports();
      const seen = [];
      for (const address of [email, "unknown@example.test"]) {
        server.statements.length = 0;
        hashes.mock.resetCalls();
        const page = await new Browser(server, "192.0.2.77").signIn(address, "not the password");
        const text = JSON.stringify(page.body).replaceAll(address, "");
        seen.push({ status: page.status, text, statements: [...server.statements], hashes: hashes.mock.callCount() });
      }
      hashes.mock.restore();
      syncBuiltinESMExports();
      assert.deepEqual(seen[0], seen[1]);
      assert.equal(seen[0]?.hashes, 1);
      assert.match(seen[0]?.text ?? "", /address or the password is wrong/);
    });

    it("a password that is changed while it is checked opens nothing", async () => {
      const { email, userId } = await account(one as Server);
      const browser = new Browser(one as Server);
      const answer = browser.signIn(email, password);
      await until("it is being checked", () => one?.statements.at(-1)?.startsWith("insert into accounts.attempts") === true);
      await accounts.database.database.query("update accounts.passwords set hash = 'changed' where person_id = $1", [userId]);
      assert.equal((await answer).status, 400);
      assert.equal(browser.token, undefined);
    });

    it("a form with a character that no database stores is refused", async () => {
      await assert.rejects(
        new Browser(one as Server).signIn("a\0@b", password),
        (error) => error instanceof AppError && error.code === "INVALID_REQUEST",
      );
    });

    it("ten guesses from one network, counted by all servers together", async () => {
      const { email } = await account(one as Server);
      const address = "198.51.100.7";
      const guesses = Array.from({ length: 24 }, (_, number) =>
        new Browser((number % 2 === 0 ? one : two) as Server, address).signIn(email, `guess ${number}`).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof AppError ? error.code : error),
        ),
      );
      const outcomes = await Promise.all(guesses);
      assert.equal(outcomes.filter((outcome) => outcome === 400).length, 10);
      assert.equal(outcomes.filter((outcome) => outcome === "RATE_LIMIT_EXCEEDED").length, 14);
      const right = new Browser(two as Server, address).signIn(email, password);
      await assert.rejects(right, (error) => {
        assert.ok(error instanceof AppError);
        const { retry_after: wait } = error.details as { retry_after: number };
        assert.ok(wait > 800 && wait <= 900, `${wait} s`);
        return true;
      });
      assert.equal((await new Browser(one as Server).signIn(email, password)).status, 200, "its owner is elsewhere");
    });

    it("guesses from many networks do not lock the owner out of a network where they signed in", async () => {
      const { email } = await account(one as Server, "203.0.113.9");
      await new Browser(one as Server, "198.51.100.8").signIn(email, "wrong");
      // The other ninety-nine.
      await accounts.database.database.query(
        `insert into accounts.attempts (key, at)
         select key, at from accounts.attempts, generate_series(1, 99)
         where key like 'account:%' and key not like '%:%:%' and at = (select max(at) from accounts.attempts)`,
      );
      await assert.rejects(new Browser(one as Server, "198.51.100.9").signIn(email, password), limited);
      assert.equal((await new Browser(one as Server, "203.0.113.9").signIn(email, password)).status, 200);
    });
  });

  describe("sessions", () => {
    it("are checked without a statement, on each server, and end on all servers", async () => {
      const { browser, userId } = await account(one as Server);
      const told: (string | undefined)[] = [];
      two?.identity.provider.onSessionsEnded?.((id) => told.push(id));
      const elsewhere = new Browser(two as Server);
      elsewhere.token = browser.token;
      await until("both servers answer from memory", async () => {
        for (const each of [one, two]) if (each) each.statements.length = 0;
        await Promise.all([browser.whoami(), elsewhere.whoami()]);
        return one?.statements.length === 0 && two?.statements.length === 0;
      });
      for (let count = 0; count < 100; count += 1) await elsewhere.whoami();
      assert.deepEqual(two?.statements, []);
      const headers = { authorization: `Bearer cookie.${browser.token}` };
      const answer = await one?.identity.signIn.signOut({ headers } as never, { path: "/", url: "https://platform.test/" });
      assert.match(answer?.cookies[0] ?? "", /^appserver_session=; Max-Age=0; .*Secure/);
      await until("the other server refuses it", () => elsewhere.whoami().then(() => false, failed));
      assert.deepEqual(told, [userId]);
    });

    it("end after their time, and when they are not used", async () => {
      const { database } = accounts.database;
      for (const change of ["ends_at = now()", "used_at = now() - interval '25 h'"]) {
        const { browser, userId } = await account(one as Server);
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
        const { browser, userId } = await account(one as Server);
        await until("it answers from memory", async () => {
          if (one) one.statements.length = 0;
          await browser.whoami();
          return one?.statements.length === 0;
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

  describe("the settings", () => {
    it("list the sessions, and end one or all others", async () => {
      const { browser, email } = await account(one as Server);
      const [phone, tablet] = [new Browser(two as Server, "203.0.113.4"), new Browser(two as Server, "203.0.113.5")];
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
      const [{ browser }, other] = [await account(one as Server), await account(one as Server)];
      const { rows } = await accounts.database.database.query<{ id: string }>(
        "select id from accounts.sessions where person_id = $1",
        [other.userId],
      );
      await browser.post("/self-service/settings?flow=settings", { session_end: rows[0]?.id ?? "" });
      await other.browser.whoami();
      assert.equal((await new Browser(one as Server).get("/self-service/settings/browser")).body.error?.id, "session_inactive");
    });

    it("a new name is seen by all servers", async () => {
      const { browser } = await account(one as Server);
      const elsewhere = new Browser(two as Server);
      elsewhere.token = browser.token;
      await elsewhere.whoami();
      await browser.post("/self-service/settings?flow=settings", { method: "profile", name: "Grace" });
      await until("the name has changed", async () => (await elsewhere.whoami()).displayName === "Grace");
    });

    it("a new password needs a sign-in of the last minutes, and ends all other sessions", async () => {
      const { browser, email, userId } = await account(one as Server);
      const other = new Browser(one as Server);
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
      assert.equal((await new Browser(one as Server).signIn(email, password)).status, 400);
      assert.equal((await new Browser(one as Server).signIn(email, change.password)).status, 200);
    });
  });

  it("finds people by a part of their name or address, and by id", async () => {
    const { email, userId, displayName } = await account(one as Server);
    const { provider, idOf } = (one as Server).identity;
    assert.deepEqual(await provider.find({ search: email.slice(0, -5).toUpperCase(), limit: 5 }), [{ userId, displayName }]);
    assert.deepEqual(await provider.find({ ids: [userId, "no id"] }), [{ userId, displayName }]);
    assert.equal(await idOf(email.toLowerCase()), userId);
    await assert.rejects(idOf("unknown@example.test"), (error) => error instanceof AppError && error.code === "NOT_FOUND");
  });
});

function failed(error: unknown): true {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, "AUTHENTICATION_FAILED");
  return true;
}

function limited(error: unknown): boolean {
  return error instanceof AppError && error.code === "RATE_LIMIT_EXCEEDED";
}
