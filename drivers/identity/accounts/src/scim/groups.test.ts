import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { eventually, FakeClock } from "@appserver/testing/kit";
import { AccountsUnderTest } from "../../test/accounts-under-test.ts";
import { Memberships, ScimClient, schemas, scimToken } from "../../test/scim-client.ts";

describe("SCIM groups", () => {
  const memberships = new Memberships();
  let accounts: AccountsUnderTest;
  let scim: ScimClient;
  let elsewhere: ScimClient;
  let [ada, bob] = ["", ""];
  before(async () => {
    accounts = await AccountsUnderTest.open();
    scim = new ScimClient(await accounts.server({ scimToken, groups: memberships }));
    elsewhere = new ScimClient(await accounts.server({ scimToken, groups: memberships }));
    [ada, bob] = [await scim.createUser("ada"), await scim.createUser("bob")];
  });
  beforeEach(() => {
    memberships.failure = undefined;
    memberships.told.splice(0);
  });
  after(() => accounts?.close());
  const members = async (id: string): Promise<readonly string[]> =>
    (await scim.send("GET", `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value).sort();

  it("only the groups of people who join or leave are written", async () => {
    const id = await scim.createGroup("first", ada);
    assert.deepEqual(memberships.told, [{ userId: ada, source: "scim", groups: ["first"] }]);
    await scim.patch(`/Groups/${id}`, { op: "add", path: "members", value: [{ value: ada }, { value: bob }] });
    assert.deepEqual(memberships.told.slice(1), [{ userId: bob, source: "scim", groups: ["first"] }]);
    await scim.patch(`/Groups/${id}`, { op: "replace", path: "displayName", value: "renamed" });
    assert.deepEqual([memberships.of(ada), memberships.of(bob)], [["renamed"], ["renamed"]]);
    await scim.patch(`/Groups/${id}`, { op: "remove", path: "members" });
    assert.deepEqual([memberships.of(ada), memberships.of(bob), await members(id)], [[], [], []]);
    memberships.told.splice(0);
    await scim.patch(`/Groups/${id}`, { op: "replace", path: "externalId", value: "7" });
    assert.equal((await scim.send("DELETE", `/Groups/${id}`)).status, 204);
    assert.deepEqual(memberships.told, []);
  });

  it("a group that is deleted is left by its people", async () => {
    const [kept, id] = [await scim.createGroup("kept", ada), await scim.createGroup("gone", ada, bob)];
    await scim.send("DELETE", `/Groups/${id}`);
    assert.deepEqual([memberships.of(ada), memberships.of(bob)], [["kept"], []]);
    await scim.send("DELETE", `/Groups/${kept}`);
  });

  it("a failure is 503 and the change is stored; the same request, or any later one of a group, writes it", async () => {
    const id = await scim.createGroup("fails");
    const add = { op: "add", path: "members", value: [{ value: ada }] };
    memberships.failure = new AppError("SERVICE_UNAVAILABLE", "down");
    for (const attempt of [1, 2])
      await assert.rejects(
        scim.patch(`/Groups/${id}`, add),
        (error: AppError) => error.code === "SERVICE_UNAVAILABLE",
        `attempt ${attempt}`,
      );
    assert.deepEqual(await members(id), [ada]);
    memberships.failure = undefined;
    assert.equal((await scim.patch(`/Groups/${id}`, add)).status, 204);
    assert.deepEqual(memberships.of(ada), ["fails"]);
    memberships.failure = new AppError("SERVICE_UNAVAILABLE", "down");
    await assert.rejects(scim.send("DELETE", `/Groups/${id}`));
    memberships.failure = undefined;
    const other = await elsewhere.createGroup("any other request");
    assert.deepEqual(memberships.of(ada), []);
    await elsewhere.send("DELETE", `/Groups/${other}`);
  });

  it("what could not be written is written a minute later, without a request", async () => {
    const clock = new FakeClock(Date.now());
    const client = new ScimClient(await accounts.server({ scimToken, groups: memberships, clock }));
    const id = await client.createGroup("later");
    memberships.failure = new AppError("SERVICE_UNAVAILABLE", "down");
    await assert.rejects(client.patch(`/Groups/${id}`, { op: "add", path: "members", value: [{ value: bob }] }));
    assert.equal((await client.send("GET", `/Groups/${id}`)).status, 200);
    assert.equal((await client.patch(`/Users/${bob}`, { op: "add", path: "externalId", value: "9" })).status, 200);
    memberships.failure = undefined;
    await clock.advance(60_000);
    await eventually(
      async () => memberships.of(bob),
      (groups) => groups?.includes("later") === true,
    );
    await client.send("DELETE", `/Groups/${id}`);
  });

  it("changes of two servers at once end with the truth", async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => scim.createGroup(`at once ${index}`)));
    const add = { op: "add", path: "members", value: [{ value: ada }] };
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? scim : elsewhere).patch(`/Groups/${id}`, add)));
    assert.deepEqual(
      memberships.of(ada),
      [0, 1, 2, 3, 4, 5].map((index) => `at once ${index}`),
    );
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? scim : elsewhere).send("DELETE", `/Groups/${id}`)));
    assert.deepEqual(memberships.of(ada), []);
  });

  it("members are people that SCIM made, and at most 10,000", async () => {
    const id = await scim.createGroup("bounded");
    for (const value of ["", "x", "00000000-0000-7000-8000-000000000000", id]) {
      const { status, body } = await scim.patch(`/Groups/${id}`, { op: "add", path: "members", value: [{ value }] });
      assert.deepEqual([status, body.scimType], [400, "invalidValue"], value);
    }
    for (const path of ['members[value eq "x"].display', 'members[type eq "User"]', "members.value"]) {
      const { status } = await scim.patch(`/Groups/${id}`, { op: "remove", path });
      assert.equal(status, 400, path);
    }
    await accounts.database.database.query(`
      with made as (
        insert into accounts.people (id, name, state) select gen_random_uuid(), 'n', 'active' from generate_series(1, 10000) returning id
      ), users as (
        insert into accounts.scim_users (person_id, user_name, user_name_key, profile, email_keys)
        select id, id, id, '{"name":{},"emails":[]}', '{}' from made returning person_id
      ) select count(*) from users`);
    await accounts.database.database.query(
      "insert into accounts.scim_members select $1, person_id from accounts.scim_users where person_id <> all($2) limit 10000",
      [id, [ada, bob]],
    );
    const { status, body } = await scim.patch(`/Groups/${id}`, { op: "add", path: "members", value: [{ value: ada }] });
    assert.deepEqual([status, body.scimType], [400, "invalidValue"]);
    const another = await scim.createGroup("after", ada);
    const list = (await scim.send("GET", "/Groups?filter=id+eq+%22x%22")).body;
    assert.equal(list.totalResults, 0);
    const page = (await scim.send("GET", "/Groups")).body;
    assert.equal(page.totalResults, 2);
    assert.deepEqual(
      page.Resources.map((each: { id: string }) => each.id),
      [id],
      "one large group a page",
    );
    const rest = (await scim.send("GET", "/Groups?startIndex=2")).body;
    assert.deepEqual(
      rest.Resources.map((each: { id: string }) => each.id),
      [another],
    );
    assert.equal((await scim.send("GET", "/Groups?excludedAttributes=members")).body.Resources.length, 2);
  });

  it("two groups cannot have one name, in any case", async () => {
    await scim.createGroup("Finance");
    const { status, body } = await scim.send("POST", "/Groups", { schemas: [schemas.group], displayName: "fINANCE" });
    assert.deepEqual([status, body.scimType], [409, "uniqueness"]);
    const id = await scim.createGroup("Sales");
    const renamed = await scim.patch(`/Groups/${id}`, { op: "replace", path: "displayName", value: "finance" });
    assert.deepEqual([renamed.status, renamed.body.scimType], [409, "uniqueness"]);
    const empty = await scim.patch(`/Groups/${id}`, { op: "remove", path: "displayName" });
    assert.deepEqual([empty.status, empty.body.scimType], [400, "invalidValue"]);
    const put = await scim.send("PUT", `/Groups/${id}`, { schemas: [schemas.group], displayName: "Sales 2" });
    assert.deepEqual([put.status, put.body.displayName], [200, "Sales 2"]);
  });
});
