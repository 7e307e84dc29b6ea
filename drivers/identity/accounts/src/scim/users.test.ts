import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { advisoryLocks } from "@appserver/kernel";
import type { Transaction } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { AccountsUnderTest, account, Browser, failed, invite, type Server } from "../../test/accounts-under-test.ts";
import { type Answer, Memberships, ScimClient, schemas, scimToken } from "../../test/scim-client.ts";
import { SessionTable } from "../sessions/session-table.ts";

const ends = { lifetimeMs: 3_600_000, idleMs: 3_600_000 };

function refused({ status, body }: Answer, expected: number, scimType?: string): void {
  assert.deepEqual(
    [status, body?.schemas, body?.status, body?.scimType],
    [expected, [schemas.error], String(expected), scimType],
  );
  assert.equal(typeof body.detail, "string");
}

describe("SCIM users", () => {
  const memberships = new Memberships();
  let accounts: AccountsUnderTest;
  let server: Server;
  let other: Server;
  let scim: ScimClient;
  before(async () => {
    accounts = await AccountsUnderTest.open();
    server = await accounts.server({ scimToken, groups: memberships });
    other = await accounts.server({ scimToken, groups: memberships });
    scim = new ScimClient(server);
  });
  beforeEach(() => {
    memberships.administrators.clear();
    memberships.failure = undefined;
  });
  after(() => accounts?.close());

  const query = <Row extends object>(text: string, ...parameters: readonly unknown[]) =>
    accounts.database.database.query<Row>(text, parameters).then(({ rows }) => rows);
  const person = async (id: string) =>
    (await query<Record<string, unknown>>("select * from accounts.people where id = $1", id))[0];

  /** Returns a browser that is signed in to the account. */
  async function signedIn(personId: string): Promise<Browser> {
    const browser = new Browser(other);
    const session = { personId, methods: [], device: "", network: "192.0.2.1" };
    browser.token = await accounts.database.database.transaction((tx) => new SessionTable(ends).begin(tx, session));
    assert.equal((await browser.whoami()).userId, personId);
    return browser;
  }

  for (const [what, leave] of [
    ["deleted", (id: string) => scim.send("DELETE", `/Users/${id}`)],
    ["disabled by PATCH", (id: string) => scim.patch(`/Users/${id}`, { op: "replace", value: { active: false } })],
    ["disabled as a text", (id: string) => scim.patch(`/Users/${id}`, { op: "Replace", path: "ACTIVE", value: "False" })],
    [
      "disabled by PUT",
      (id: string) => scim.send("PUT", `/Users/${id}`, { schemas: [schemas.user], userName: `out-${id}`, active: false }),
    ],
  ] as const)
    it(`a person who is ${what} is out within a second on another server`, async () => {
      const id = await scim.createUser(`leaver ${what}`);
      const browser = await signedIn(id);
      const heard: (string | undefined)[] = [];
      other.identity.provider.onSessionsEnded?.((userId) => heard.push(userId));
      const startedAt = performance.now();
      assert.ok((await leave(id)).status < 300);
      await eventually(
        () =>
          Promise.resolve(browser.whoami()).then(
            () => "in",
            () => "out",
          ),
        (state) => state === "out",
      );
      await eventually(
        async () => heard,
        (ids) => ids.includes(id),
      );
      assert.ok(performance.now() - startedAt < 1_000);
      await assert.rejects(browser.whoami(), failed);
    });

  it("the account has the primary address, which counts as proven, and a name of at most 100 characters", async () => {
    const id = await scim.createUser("carl", {
      displayName: "C".repeat(150),
      emails: [{ value: "carl@home.test" }, { value: "Carl@Work.test", type: "work" }],
    });
    const row = await person(id);
    assert.deepEqual([row?.["email"], row?.["email_proven"], row?.["state"]], ["Carl@Work.test", true, "active"]);
    assert.equal(row?.["name"], "C".repeat(100));
    const address = { op: "replace", path: 'emails[value eq "carl@work.test"].value', value: "carl@new.test" };
    assert.equal(
      (await scim.patch(`/Users/${id}`, address, { op: "replace", path: "userName", value: "charles" })).status,
      200,
    );
    const changed = await person(id);
    assert.deepEqual([changed?.["email"], changed?.["email_proven"]], ["carl@new.test", true]);
    assert.equal(await server.identity.idOf("CARL@new.test"), id);
  });

  it("a name that the person has chosen stays until the client changes its own", async () => {
    const id = await scim.createUser("grace", { displayName: "Grace" });
    await query("update accounts.people set name = 'Amazing Grace' where id = $1", id);
    await scim.patch(`/Users/${id}`, { op: "replace", path: "externalId", value: "7" });
    assert.equal((await person(id))?.["name"], "Amazing Grace");
    await scim.patch(`/Users/${id}`, { op: "replace", path: "displayName", value: "Grace H." });
    assert.equal((await person(id))?.["name"], "Grace H.");
  });

  it("letters to an earlier address open nothing", async () => {
    const id = await scim.createUser("old@mail.test");
    await query(
      "insert into accounts.links (token_key, purpose, person_id, created_by, ends_at) values ('k', 'recovery', $1, 'x', now() + interval '1 h')",
      id,
    );
    await scim.patch(`/Users/${id}`, { op: "replace", path: "userName", value: "new@mail.test" });
    assert.deepEqual(await query("select 1 from accounts.links where person_id = $1", id), []);
  });

  it("never takes over or sees an account that it did not make", async () => {
    const { browser, email, userId } = await account(server);
    await invite(server, "invited@example.test");
    const attempts = [
      { userName: email },
      { userName: "attacker", emails: [{ value: email.toUpperCase() }] },
      { userName: "attacker", emails: [{ value: "invited@example.test" }] },
    ];
    for (const attempt of attempts)
      refused(await scim.send("POST", "/Users", { schemas: [schemas.user], ...attempt }), 409, "uniqueness");
    const id = await scim.createUser("attacker");
    for (const [path, value] of [
      ["userName", email],
      ["emails", [{ value: email }]],
      ['emails[type eq "work"].value', email],
    ] as const)
      refused(await scim.patch(`/Users/${id}`, { op: "add", path, value }), 409, "uniqueness");
    refused(await scim.send("PUT", `/Users/${id}`, { schemas: [schemas.user], userName: email }), 409, "uniqueness");
    for (const method of ["GET", "DELETE"]) refused(await scim.send(method, `/Users/${userId}`), 404);
    refused(await scim.patch(`/Users/${userId}`, { op: "replace", path: "active", value: false }), 404);
    refused(await scim.send("PUT", `/Users/${userId}`, { schemas: [schemas.user], userName: "mine", active: false }), 404);
    const { body } = await scim.send("GET", `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`);
    assert.equal(body.totalResults, 0);
    assert.equal((await browser.whoami()).userId, userId);
    const member = { schemas: [schemas.group], displayName: "taken over", members: [{ value: userId }] };
    refused(await scim.send("POST", "/Groups", member), 400, "invalidValue");
  });

  it("two users cannot have one name, in any case", async () => {
    const id = await scim.createUser("Twin");
    refused(await scim.send("POST", "/Users", { schemas: [schemas.user], userName: "tWIN" }), 409, "uniqueness");
    const both = await Promise.all(
      ["a", "A"].map((userName) =>
        new ScimClient(userName === "a" ? server : other).send("POST", "/Users", {
          schemas: [schemas.user],
          userName: `race-${userName}`,
        }),
      ),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    assert.equal((await scim.patch(`/Users/${id}`, { op: "replace", path: "userName", value: "TWIN" })).status, 200);
  });

  it("read-only attributes, and names of prototypes, change nothing", async () => {
    const id = await scim.createUser("readonly", { id: "mine", meta: { version: 'W/"9"' }, groups: [{ value: "x" }] });
    for (const path of ["id", "meta", "meta.version", "groups", "schemas", `${schemas.user}:id`])
      refused(await scim.patch(`/Users/${id}`, { op: "replace", path, value: "x" }), 400, "mutability");
    refused(await scim.patch(`/Users/${id}`, { op: "replace", value: { id: "other" } }), 400, "mutability");
    for (const path of [
      "__proto__",
      "__proto__.polluted",
      "name.__proto__",
      "a b",
      "emails[type eq",
      "userName.x",
      'userName[x eq "b"]',
      "",
    ]) {
      const { status, body } = await scim.patch(`/Users/${id}`, { op: "add", path, value: { polluted: true } });
      assert.deepEqual([status, ["invalidPath", "invalidFilter"].includes(body?.scimType)], [400, true], path);
    }
    const harmless = ["constructor", "constructor.prototype", "name.constructor", "toString", "hasOwnProperty"];
    for (const path of harmless)
      assert.equal((await scim.patch(`/Users/${id}`, { op: "add", path, value: { polluted: true } })).status, 200, path);
    const body = `{"schemas":["${schemas.patch}"],"Operations":[{"op":"add","value":{"constructor":{"polluted":true},"name":{"__proto__":{"polluted":true},"givenName":"G"}}}]}`;
    assert.equal((await scim.send("PATCH", `/Users/${id}`, body)).status, 200);
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    const stored = (await scim.send("GET", `/Users/${id}`)).body;
    assert.deepEqual(stored.name, { givenName: "G" });
    assert.deepEqual([stored.id, stored.groups], [id, []]);
  });

  it("bodies that are not those of SCIM are refused", async () => {
    const id = await scim.createUser("bodies");
    const user = { schemas: [schemas.user], userName: "x" };
    const cases: [string, string, object | string, string][] = [
      ["POST", "/Users", "{", "invalidSyntax"],
      ["POST", "/Users", "[]", "invalidSyntax"],
      ["POST", "/Users", "[".repeat(30_000), "invalidSyntax"],
      ["POST", "/Users", `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, "invalidSyntax"],
      ["POST", "/Users", { userName: "x" }, "invalidSyntax"],
      ["POST", "/Users", { schemas: [schemas.group], userName: "x" }, "invalidSyntax"],
      ["POST", "/Users", { schemas: [schemas.user] }, "invalidValue"],
      ["POST", "/Users", { ...user, userName: " " }, "invalidValue"],
      ["POST", "/Users", { ...user, userName: { a: 1 } }, "invalidValue"],
      ["POST", "/Users", { ...user, userName: "a\u0000b" }, "invalidValue"],
      ["POST", "/Users", { ...user, userName: "a\u202eb" }, "invalidValue"],
      ["POST", "/Users", { ...user, userName: "a".repeat(257) }, "invalidValue"],
      ["POST", "/Users", { ...user, active: "perhaps" }, "invalidValue"],
      ["POST", "/Users", { ...user, emails: [{ value: "no address" }] }, "invalidValue"],
      ["POST", "/Users", { ...user, emails: Array.from({ length: 101 }, () => ({ value: "a@b" })) }, "invalidValue"],
      ["PATCH", `/Users/${id}`, { schemas: [schemas.patch] }, "invalidSyntax"],
      ["PATCH", `/Users/${id}`, { schemas: [schemas.patch], Operations: [] }, "invalidSyntax"],
      ["PATCH", `/Users/${id}`, { schemas: [schemas.patch], Operations: [{ op: "move", path: "userName" }] }, "invalidSyntax"],
      ["PATCH", `/Users/${id}`, { schemas: [schemas.patch], Operations: [{ op: "remove" }] }, "noTarget"],
      ["PATCH", `/Users/${id}`, { schemas: [schemas.patch], Operations: [{ op: "remove", path: "userName" }] }, "invalidValue"],
      ["PATCH", `/Users/${id}`, { schemas: [schemas.patch], Operations: [{ op: "replace", value: "x" }] }, "invalidValue"],
      [
        "PATCH",
        `/Users/${id}`,
        { schemas: [schemas.patch], Operations: [{ op: "replace", path: 'emails[type eq "home"].value', value: "a@b" }] },
        "noTarget",
      ],
    ];
    for (const [method, target, body, scimType] of cases) refused(await scim.send(method, target, body), 400, scimType);
    refused(await scim.send("GET", `/Users?filter=${encodeURIComponent('userName co "a"')}`), 400, "invalidFilter");
    refused(await scim.send("GET", "/Users?count=many"), 400, "invalidValue");
    refused(await scim.send("GET", "/Schemas?filter=x"), 403);
    for (const target of ["/", "/Things", "/Users/", `/Users/${id}/emails`, "/users", "/Schemas/unknown", "/ResourceTypes/x"])
      refused(await scim.send("GET", target), 404);
    refused(await scim.send("DELETE", "/Users"), 405);
    refused(await scim.send("POST", `/Users/${id}`, user), 405);
    refused(await scim.send("PUT", "/ServiceProviderConfig", user), 405);
  });

  it("a page is bounded, whatever a client asks", async () => {
    const { body } = await scim.send("GET", "/Users?count=999999999999999999999&startIndex=-5");
    assert.equal(body.startIndex, 1);
    assert.ok(body.itemsPerPage <= 200);
    const none = (await scim.send("GET", "/Users?count=0")).body;
    assert.deepEqual([none.itemsPerPage, none.totalResults, none.Resources], [0, body.totalResults, []]);
    const beyond = (await scim.send("GET", "/Users?startIndex=99999999999999999999")).body;
    assert.deepEqual([beyond.itemsPerPage, beyond.totalResults], [0, body.totalResults]);
    assert.equal((await scim.send("GET", "/Users?count=-1")).body.itemsPerPage, 0);
  });

  it("responses have the wanted attributes, an address and a version", async () => {
    const id = await scim.createUser("versions", { displayName: "V" });
    const { body, etag } = await scim.send("GET", `/Users/${id}`);
    assert.deepEqual([body.meta.version, etag], ['W/"1"', 'W/"1"']);
    assert.equal(body.meta.location, `http://platform.test/scim/v2/Users/${id}`);
    assert.deepEqual(Object.keys((await scim.send("GET", `/Users/${id}?attributes=username,NAME.givenName`)).body).sort(), [
      "id",
      "schemas",
      "userName",
    ]);
    assert.equal((await scim.send("GET", `/Users/${id}?excludedAttributes=displayName,id`)).body.displayName, undefined);
    const change = { schemas: [schemas.patch], Operations: [{ op: "replace", path: "displayName", value: "W" }] };
    refused(await scim.send("PATCH", `/Users/${id}`, change, 'W/"2"'), 412);
    refused(await scim.send("DELETE", `/Users/${id}`, undefined, '"7"'), 412);
    assert.equal((await scim.send("PATCH", `/Users/${id}`, change, 'W/"1"')).etag, 'W/"2"');
    assert.equal((await scim.send("PATCH", `/Users/${id}`, change)).etag, 'W/"2"', "nothing has changed");
    assert.equal((await scim.send("DELETE", `/Users/${id}`, undefined, "*")).status, 204);
  });

  it("the last administrator is not disabled or deleted", async () => {
    const id = await scim.createUser("admin");
    memberships.administrators.add(id);
    const browser = await signedIn(id);
    refused(await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: false }), 409, "mutability");
    refused(
      await scim.send("PUT", `/Users/${id}`, { schemas: [schemas.user], userName: "admin", active: false }),
      409,
      "mutability",
    );
    refused(await scim.send("DELETE", `/Users/${id}`), 409);
    assert.equal((await browser.whoami()).userId, id);
    memberships.administrators.add("another");
    assert.equal((await scim.send("DELETE", `/Users/${id}`)).status, 204);
  });

  it("two servers cannot delete the last two administrators at once", async () => {
    const ids = [await scim.createUser("admin 1"), await scim.createUser("admin 2")];
    const locking = {
      replace: async () => {},
      keep: async () => true,
      isLastAdministrator: async (tx: Transaction, id: string) => {
        await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.administrators]);
        const others = ids.filter((each) => each !== id);
        // On another connection, as the identity provider is asked.
        return (await query("select 1 from accounts.people where id = any($1) and state = 'active'", others)).length === 0;
      },
    };
    const client = async () => new ScimClient(await accounts.server({ scimToken, groups: locking }));
    const clients = [await client(), await client()];
    const answers = await Promise.all(clients.map((each, index) => each.send("DELETE", `/Users/${ids[index]}`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
    assert.equal((await query("select 1 from accounts.people where id = any($1) and state = 'active'", ids)).length, 1);
  });

  it("if groups cannot be taken away, the person is out, and a repeated request deletes the account", async () => {
    const id = await scim.createUser("half deleted");
    await scim.createGroup("half", id);
    const browser = await signedIn(id);
    memberships.failure = new Error("down");
    await assert.rejects(scim.send("DELETE", `/Users/${id}`));
    await eventually(
      () =>
        Promise.resolve(browser.whoami()).then(
          () => "in",
          () => "out",
        ),
      (state) => state === "out",
    );
    memberships.failure = undefined;
    assert.equal((await scim.send("DELETE", `/Users/${id}`)).status, 204);
    assert.deepEqual(memberships.of(id), []);
    assert.equal(await person(id), undefined);
  });

  it("is not there without a token", async () => {
    assert.equal((await accounts.server()).identity.provisioning, undefined);
    const { provisioning } = server.identity;
    assert.equal(provisioning?.accepts(scimToken), true);
    for (const wrong of ["", "x", `${scimToken} `, scimToken.toUpperCase(), scimToken.slice(0, -1)])
      assert.equal(provisioning?.accepts(wrong), false);
  });
});
