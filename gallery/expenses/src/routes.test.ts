import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AppOnDatabase, appOnDatabase } from "@appserver/testing/kit";
import { approvePermission, type Expense } from "./expense.ts";
import { Expenses } from "./expenses.ts";
import { routes } from "./routes.ts";

const lunch = { purpose: "Lunch with a customer", cents: 4_250, currency: "EUR", spentOn: "2026-11-27" };

describe("expenses", () => {
  let app: AppOnDatabase;
  before(async () => {
    app = await appOnDatabase({
      migrations: new URL("../migrations", import.meta.url),
      routes: ({ pool, people }) => routes(new Expenses(pool), people),
      names: { ada: "Ada Byron", bob: "Bob Moore", cleo: "Cleo Park" },
      held: { cleo: [approvePermission] },
    });
  });
  after(() => app?.stop());

  async function enter(user: string): Promise<Expense> {
    const { status, json } = await app.send(user, "POST", "/expenses", lunch);
    assert.equal(status, 201);
    return json as Expense;
  }

  async function listedTo(user: string): Promise<readonly number[]> {
    const { json } = await app.send(user, "GET", "/expenses");
    return (json as { readonly expenses: readonly Expense[] }).expenses.map(({ id }) => id);
  }

  test("a person sees their own expenses, an approver all, the open ones first", async () => {
    const one = await enter("ada");
    assert.deepEqual(one, { id: one.id, userId: "ada", person: "Ada Byron", ...lunch, state: "OPEN" });
    const other = await enter("bob");
    await app.send("cleo", "POST", `/expenses/${other.id}/decision`, { approved: true });
    assert.deepEqual(await listedTo("ada"), [one.id]);
    assert.deepEqual(await listedTo("cleo"), [one.id, other.id]);
    assert.equal((await app.send("bob", "GET", `/expenses/${one.id}`)).status, 404);
    assert.deepEqual((await app.send("cleo", "GET", `/expenses/${one.id}`)).json, one);
  });

  test("an expense is decided once, and the person gets a message", async () => {
    const { id } = await enter("ada");
    const decide = (body: object) => app.send("cleo", "POST", `/expenses/${id}/decision`, body);
    assert.deepEqual((await decide({ approved: false })).json, { error: "reason must have 1 to 300 characters" });
    const both = await Promise.all([
      decide({ approved: false, reason: "No receipt" }),
      decide({ approved: false, reason: "No receipt" }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const { state, reason, decidedBy } = (await app.send("ada", "GET", `/expenses/${id}`)).json as Expense;
    assert.deepEqual([state, reason, decidedBy], ["REFUSED", "No receipt", "Cleo Park"]);
    const message = { userId: "ada", title: "Your expense was refused", text: "No receipt", path: `/expenses/${id}` };
    assert.deepEqual(app.messages.at(-1), message);
    assert.equal((await app.send("ada", "DELETE", `/expenses/${id}`)).status, 409);
  });

  test("no approver decides on their own expense", async () => {
    const { id } = await enter("cleo");
    assert.equal((await app.send("cleo", "POST", `/expenses/${id}/decision`, { approved: true })).status, 403);
    assert.equal((await app.send("cleo", "DELETE", `/expenses/${id}`)).status, 204);
  });

  test("a wrong field is refused with what was expected", async () => {
    for (const [field, error] of [
      [{ cents: 0 }, "cents must be a whole number of 1 to 10000000"],
      [{ currency: "XXX" }, "currency must be one of EUR, USD, GBP, CHF"],
      [{ spentOn: "2026-02-30" }, "spentOn must be a date, as 2026-12-31"],
      [{ purpose: " " }, "purpose must have 1 to 200 characters"],
    ] as const)
      assert.deepEqual(await app.send("ada", "POST", "/expenses", { ...lunch, ...field }), { status: 400, json: { error } });
  });
});
