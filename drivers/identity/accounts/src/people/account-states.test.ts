import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { findCanary, rejectsWith, until } from "@appserver/testing/kit";
import { AccountsUnderTest, account, failed, type Server } from "../../test/accounts-under-test.ts";

let accounts: AccountsUnderTest;
let server: Server;
before(async () => {
  accounts = await AccountsUnderTest.open();
  server = await accounts.server();
});
after(() => accounts.close());

const admit = async (): Promise<void> => {};
const refuse = async (): Promise<never> => {
  throw new AppError("INVALID_STATE", "the last administrator");
};
const own = () => server.identity.accounts ?? assert.fail("no accounts");

it("disables and enables an account, and removes it with its sessions, unless that is refused", async () => {
  const { browser, userId } = await account(server);
  const { setActive, remove } = own();
  await assert.rejects(setActive({ userId, isActive: false, admit: refuse }), rejectsWith("INVALID_STATE", /last/));
  await assert.rejects(remove({ userId, admit: refuse }), rejectsWith("INVALID_STATE", /last/));
  await browser.whoami();
  await setActive({ userId, isActive: false, admit });
  await until("the session has ended", () => browser.whoami().then(() => false, failed));
  const [person] = await server.identity.provider.find({ ids: [userId] });
  assert.equal(person?.isActive, false);
  await setActive({ userId, isActive: false, admit: refuse });
  assert.equal((await own().find(userId))?.state, "disabled", "nothing has changed, so that nothing was to admit");
  await setActive({ userId, isActive: true, admit });
  await remove({ userId, admit });
  assert.deepEqual(await server.identity.provider.find({ ids: [userId] }), []);
  for (const attempt of [() => remove({ userId, admit }), () => setActive({ userId: "?", isActive: true, admit })])
    await assert.rejects(attempt(), rejectsWith("NOT_FOUND", /no account/));
  const invited = await own().invite({ email: "new@example.test", invitedBy: "operator", validMs: 60_000 });
  await assert.rejects(setActive({ userId: invited.userId, isActive: true, admit }), rejectsWith("INVALID_STATE", /completed/));
});

it("exports what is stored of a person, without secrets", async () => {
  const { browser, userId, email } = await account(server);
  const records = await own().export(userId);
  assert.deepEqual(
    [records["account"], records["sessions"], records["password"], records["passkeys"]].map((rows) => rows?.length),
    [1, 1, 1, 0],
  );
  const text = JSON.stringify(records);
  assert.ok(text.includes(email));
  assert.deepEqual(findCanary(browser.token ?? "", { text }), []);
  assert.doesNotMatch(text, /token|hash|sealed|scrypt/);
});
