import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { AccountsUnderTest, account, Browser, invite, password, type Server } from "../../test/accounts-under-test.ts";

describe("invitations", () => {
  let accounts: AccountsUnderTest;
  let one: Server;
  let two: Server;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    one = await accounts.server();
    two = await accounts.server();
  });
  after(() => accounts.close());

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
    assert.equal((await browser.register(next?.path ?? "", { email: "ada@example.test", name: "Ada", password })).status, 200);
    assert.deepEqual((await browser.whoami()).userId, given.userId);
    assert.equal(await first(60_000), undefined);
    await own.close();
  });

  it("a link shows the form, works once, and ends", async () => {
    const { path } = await invite(one, "once@example.test");
    const browser = new Browser(one);
    const token = path.split("#token=")[1] ?? "";
    const shown = await browser.post("/self-service/registration?flow=link", { method: "link", token });
    const email = shown.body.ui?.nodes.find(({ attributes }) => attributes.name === "email");
    assert.equal(email?.attributes.value, "once@example.test");
    const other = await browser.register(path, { email: "mallory@example.test", name: "Once", password });
    assert.equal(other.status, 200);
    assert.equal((await new Browser(one).signIn("mallory@example.test", password)).status, 400, "its address is fixed");
    const again = await new Browser(two).register(path, { name: "Twice", password });
    assert.match(again.body.error?.reason ?? "", /was used/);
    const ended = await invite(one, "late@example.test");
    await accounts.database.database.query("update accounts.links set ends_at = now()");
    assert.match((await browser.register(ended.path, { name: "Late", password })).body.error?.reason ?? "", /its time is over/);
  });

  it("a new invitation replaces the earlier one of the same address, until the account is complete", async () => {
    const [first, second] = [await invite(one, "again@example.test"), await invite(two, "Again@example.test")];
    assert.equal(first.userId, second.userId);
    const browser = new Browser(one);
    assert.equal((await browser.register(first.path, { name: "A", password })).status, 400);
    const both = [1, 2].map(() => new Browser(two).register(second.path, { name: "A", password }));
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [200, 400], "it works once");
    await assert.rejects(invite(one, "again@example.test"), (error) => error instanceof AppError && error.code === "CONFLICT");
  });

  it("without a link there is no account, and what is wrong in a form is said at its field", async () => {
    const browser = new Browser(one);
    assert.equal((await browser.get("/self-service/registration/browser")).body.error?.id, "self_service_flow_disabled");
    const { path } = await invite(one);
    const { email } = await account(one);
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
