import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AppOnDatabase, appOnDatabase } from "@appserver/testing/kit";
import { Duties } from "./duties.ts";
import { shownWeeks, type Week } from "./rota.ts";
import { routes, tellTomorrow } from "./routes.ts";

const ada = { id: "ada", name: "Ada Byron" };
const bob = { id: "bob", name: "Bob Moore" };

describe("rota", () => {
  let app: AppOnDatabase;
  before(async () => {
    app = await appOnDatabase({
      migrations: new URL("../migrations", import.meta.url),
      routes: ({ pool, people }) => routes(new Duties(pool), people),
      names: { ada: ada.name, bob: bob.name, cleo: "Cleo Park" },
    });
  });
  after(() => app?.stop());

  async function weeks(): Promise<readonly Week[]> {
    return ((await app.send("ada", "GET", "/weeks")).json as { readonly weeks: readonly Week[] }).weeks;
  }

  async function planned(userId: string): Promise<string> {
    const { monday } = (await weeks())[2] ?? assert.fail();
    assert.equal((await app.send("cleo", "PUT", `/weeks/${monday}`, { userId })).status, 200);
    return monday;
  }

  test("the list begins with the present week, and has weeks without a person", async () => {
    const list = await weeks();
    const now = Date.now();
    const first = Date.parse(list[0]?.monday ?? "");
    assert.ok(first <= now && now < first + 8 * 86_400_000, list[0]?.monday);
    assert.equal(list.length, shownWeeks);
    const monday = await planned("ada");
    assert.deepEqual((await weeks())[2], { monday, onDuty: ada });
    assert.equal(app.messages.at(-1)?.userId, "ada");
  });

  test("a swap is asked for, and takes effect when the other person accepts", async () => {
    const monday = await planned("ada");
    const asked = await app.send("ada", "PUT", `/weeks/${monday}/question`, { userId: "bob" });
    assert.deepEqual(asked.json, { monday, onDuty: ada, asked: bob });
    const title = `Ada Byron asks you to take the week of ${monday}`;
    assert.deepEqual(app.messages.at(-1), { userId: "bob", title, path: `/rota/${monday}` });
    assert.equal((await app.send("cleo", "POST", `/weeks/${monday}/answer`, { accepts: true })).status, 409);
    const both = await Promise.all([1, 2].map(() => app.send("bob", "POST", `/weeks/${monday}/answer`, { accepts: true })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.deepEqual((await app.send("ada", "GET", `/weeks/${monday}`)).json, { monday, onDuty: bob });
    assert.equal(app.messages.at(-1)?.title, `Bob Moore takes the week of ${monday}`);
  });

  test("a question can be declined and taken back, by the two people only", async () => {
    const monday = await planned("ada");
    assert.equal((await app.send("bob", "PUT", `/weeks/${monday}/question`, { userId: "cleo" })).status, 409);
    assert.equal((await app.send("ada", "PUT", `/weeks/${monday}/question`, { userId: "ada" })).status, 400);
    await app.send("ada", "PUT", `/weeks/${monday}/question`, { userId: "bob" });
    assert.equal((await app.send("bob", "DELETE", `/weeks/${monday}/question`)).status, 409);
    const declined = await app.send("bob", "POST", `/weeks/${monday}/answer`, { accepts: false });
    assert.deepEqual(declined.json, { monday, onDuty: ada });
    await app.send("ada", "PUT", `/weeks/${monday}/question`, { userId: "bob" });
    assert.deepEqual((await app.send("ada", "DELETE", `/weeks/${monday}/question`)).json, { monday, onDuty: ada });
  });

  test("wrong weeks and people are refused with what was expected", async () => {
    const refused = async (method: string, path: string, body?: object): Promise<unknown> => {
      const { status, json } = await app.send("cleo", method, path, body);
      assert.equal(status, 400);
      return (json as { readonly error: string }).error;
    };
    assert.equal(await refused("GET", "/weeks/2026-12-01"), "monday must be the date of a Monday, got 2026-12-01");
    assert.equal(await refused("GET", "/weeks/today"), "monday must be a date, as 2026-12-31");
    const noPerson = "userId must be the id of a person who can sign in";
    assert.equal(await refused("PUT", "/weeks/2026-11-30", { userId: "eve" }), noPerson);
    assert.equal(await refused("GET", "/people?text=a"), "text must have 2 to 100 characters");
    assert.deepEqual((await app.send("ada", "GET", "/people?text=byron")).json, { people: [ada] });
  });

  test("the person whose week begins tomorrow gets one message", async () => {
    const duties = new Duties(app.pool);
    assert.deepEqual(await tellTomorrow(duties, app.people), { told: 0 });
    // Tomorrow is a Monday on one day in seven.
    await app.pool.query("alter table duties drop constraint duties_monday_check");
    await app.pool.query("insert into duties (monday, user_id) values (current_date + 1, 'bob') on conflict do nothing");
    await app.pool.query("update duties set user_id = 'bob' where monday = current_date + 1");
    assert.deepEqual(await tellTomorrow(duties, app.people), { told: 1 });
    const { userId, title } = app.messages.at(-1) ?? assert.fail();
    assert.deepEqual([userId, title], ["bob", "Your week on duty begins tomorrow"]);
    assert.deepEqual(await tellTomorrow(duties, app.people), { told: 0 });
  });
});
