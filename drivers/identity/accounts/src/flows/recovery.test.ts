import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { SmtpMail } from "@appserver/mail-smtp";
import { FakeClock, MailServer, until } from "@appserver/testing/kit";
import { AccountsUnderTest, Browser, type Server } from "../../test/accounts-under-test.ts";

const [password, next] = ["a horse is no battery", "another horse of mine"];
const recovery = "/self-service/recovery?flow=recovery";

describe("recovery of an account", () => {
  let accounts: AccountsUnderTest;
  let mails: MailServer;
  let server: Server;
  const clock = new FakeClock(Date.now());
  let lastNumber = 0;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    mails = await MailServer.start();
    server = await accounts.server({
      clock,
      mail: new SmtpMail({ url: mails.url, from: "Platform <platform@example.test>", platformName: "Acme" }),
    });
  });
  after(async () => {
    await accounts.close();
    await mails.stop();
  });

  async function account() {
    lastNumber += 1;
    const email = `person${lastNumber}@example.test`;
    const invited = await server.identity.accounts?.invite({ email, invitedBy: "operator", validMs: 60_000 });
    const browser = new Browser(server);
    await browser.register(invited?.path ?? "", { name: `Person ${lastNumber}`, password });
    return { email, browser };
  }

  const tokenOf = (link = ""): string => link.split("#token=")[1] ?? "";
  const ask = (email: string, address?: string) => new Browser(server, address).post(recovery, { method: "letter", email });

  it("by the link of a letter, which works once and ends all sessions", async () => {
    const { email, browser } = await account();
    const answer = await ask(email.toUpperCase());
    assert.match(answer.body.ui?.messages?.[0]?.text ?? "", /If an account has this address/);
    await until("a letter comes", () => mails.linksTo(email).length === 1);
    const [link] = mails.linksTo(email);
    assert.match(link ?? "", /^http:\/\/platform\.test\/login\/recovery#token=aps_/);
    const token = tokenOf(link);
    const fresh = new Browser(server);
    const form = await fresh.post(recovery, { method: "link", token });
    assert.ok(form.body.ui?.nodes.some(({ attributes }) => attributes.name === "password"));
    const short = await fresh.post(recovery, { method: "password", token, password: "short" });
    assert.equal(short.status, 400);
    assert.equal((await fresh.post(recovery, { method: "password", token, password: next })).status, 200);
    assert.equal(
      (await fresh.whoami()).displayName,
      (await server.identity.provider.find({ search: email, limit: 1 }))[0]?.displayName,
    );
    await until("other sessions have ended", async () => {
      return await browser.whoami().then(
        () => false,
        (error: unknown) => error instanceof AppError && error.code === "AUTHENTICATION_FAILED",
      );
    });
    const again = await fresh.post(recovery, { method: "password", token, password });
    assert.match(again.body.error?.reason ?? "", /was used/);
    assert.equal((await new Browser(server).signIn(email, next)).status, 200);
  });

  it("costs the same and says the same for a known and an unknown address", async () => {
    const { email } = await account();
    const seen = [];
    for (const address of [email, "unknown@example.test"]) {
      await until("no letter is being sent", async () => {
        const { rows } = await accounts.database.database.query("select 1 from accounts.letters");
        return rows.length === 0;
      });
      server.statements.length = 0;
      const { status, body } = await ask(address, "192.0.2.50");
      // The worker that sends letters looks for them at any time.
      const ofRequests = server.statements.filter((each) => !each.startsWith("update accounts.letters l set tries"));
      // What the answer does not wait for begins with the next turn.
      const statements = ofRequests.slice(
        0,
        ofRequests.findIndex((each) => each.startsWith("insert into accounts.letters")) + 1,
      );
      seen.push({ status, text: JSON.stringify(body), statements });
    }
    assert.deepEqual(seen[0], seen[1]);
    assert.equal(mails.linksTo("unknown@example.test").length, 0);
  });

  it("only the newest letter counts, and three may be asked for in an hour", async () => {
    const { email } = await account();
    for (const count of [1, 2, 3]) {
      await ask(email, `192.0.2.${60 + count}`);
      await until("a letter comes", () => mails.linksTo(email).length === count);
    }
    await assert.rejects(
      ask(email, "192.0.2.70"),
      (error) => error instanceof AppError && error.code === "RATE_LIMIT_EXCEEDED",
    );
    const [first, , last] = mails.linksTo(email);
    assert.equal((await new Browser(server).post(recovery, { method: "link", token: tokenOf(first) })).status, 400);
    assert.equal((await new Browser(server).post(recovery, { method: "link", token: tokenOf(last) })).status, 200);
  });

  it("a letter that the server of mail refuses is sent again later", async () => {
    const { email } = await account();
    mails.isOut = true;
    await ask(email);
    await until("it was tried", async () => {
      const { rows } = await accounts.database.database.query("select 1 from accounts.letters where tries > 0");
      return rows.length > 0;
    });
    mails.isOut = false;
    await accounts.database.database.query("update accounts.letters set due_at = now()");
    await until("it comes", async () => {
      await clock.advance(15_000);
      return mails.linksTo(email).length === 1;
    });
  });

  it("a letter brings the link of an invitation, the last one only, and none after the account is complete", async () => {
    const email = "invited@example.test";
    const invite = () => server.identity.accounts?.inviteByLetter?.({ email, invitedBy: "operator", validMs: 60_000 });
    const first = await invite();
    await until("a letter comes", () => mails.linksTo(email).length === 1);
    mails.isOut = true;
    const { refused } = mails;
    const again = await invite();
    await until("the next one is refused", () => mails.refused === refused + 1);
    mails.isOut = false;
    assert.equal(again?.userId, first?.userId);
    const [earlier = ""] = mails.linksTo(email);
    const path = (link: string) => link.replace("http://platform.test", "");
    assert.equal((await new Browser(server).register(path(earlier), { name: "A", password })).status, 400);
    const shown = await server.identity.accounts?.invite({ email, invitedBy: "operator", validMs: 60_000 });
    assert.equal((await new Browser(server).register(shown?.path ?? "", { name: "A", password })).status, 200);
    await accounts.database.database.query("update accounts.letters set due_at = now()");
    await clock.advance(15_000);
    const { rows } = await accounts.database.database.query("select 1 from accounts.letters");
    assert.deepEqual([rows.length, mails.linksTo(email).length], [0, 1]);
    assert.equal((await accounts.server()).identity.accounts?.inviteByLetter, undefined);
  });

  it("without a server of mail there is none, and a link of an invitation recovers nothing", async () => {
    const other = await accounts.server();
    assert.equal((await new Browser(other).get("/self-service/recovery/browser")).body.error?.id, "self_service_flow_disabled");
    const invited = await server.identity.accounts?.invite({ email: "x@example.test", invitedBy: "operator", validMs: 60_000 });
    const token = tokenOf(invited?.path);
    assert.equal((await new Browser(server).post(recovery, { method: "password", token, password: next })).status, 400);
  });
});
