import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { initialTuples, installationTuples, scopeObject, type Tuple } from "@appserver/contracts/authorization";
import type { Caller } from "@appserver/kernel";
import { callBy, MapIdentity, rejectsWith, type TestDatabase } from "@appserver/testing/kit";
import fc from "fast-check";
import { RefusedChanges } from "../src/domain/refused-changes.ts";
import type { Invitations } from "../src/ports.ts";
import { grantAccess, revokeAccess } from "../src/use-cases/change-access.ts";
import { explainPermission, explainSubject } from "../src/use-cases/explain-access.ts";
import { invitePerson } from "../src/use-cases/invite-person.ts";
import { readHeld, readHolders, readMembers, readRoles, readSubjects, searchPeople } from "../src/use-cases/read-access.ts";
import { grantCursor, readGrants } from "../src/use-cases/read-grants.ts";
import type { SourcedTuple } from "../src/use-cases/tuple-sources.ts";
import { contextOf, openHome, startAuthorization } from "./access-fixture.ts";

const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const notes = "com.example.notes";
const administrator: Tuple = { user: "user:ada", relation: "assignee", object: "role:easy" };

async function newAuthorization(tuples: readonly Tuple[]): Promise<EmbeddedAuthorization> {
  const authorization = await startAuthorization(tuples);
  opened.push(authorization);
  return authorization;
}

const opened: EmbeddedAuthorization[] = [];
after(() => Promise.all(opened.map((authorization) => authorization.stop())));

describe("explanations", () => {
  const people = ["user:ada", "user:bob", "app:com.example.shop"];
  const roles = ["role:a", "role:b"];
  const sets = [...roles.map((role) => `${role}#assignee`), "group:x#member", "group:y#member"];
  const scopes = ["notes:read", "notes:update", "notes:purge"];
  const one = (users: readonly string[], relations: readonly string[], objects: readonly string[]) =>
    fc.record({
      user: fc.constantFrom(...users),
      relation: fc.constantFrom(...relations),
      object: fc.constantFrom(...objects),
    });
  const tuple = fc.oneof(
    one([...people, ...sets], ["assignee"], roles),
    one(["user:ada", "user:bob", ...sets], ["owner", "editor", "viewer"], [`app:${notes}`]),
    one(["user:*", "app:com.example.shop"], ["viewer"], [`app:${notes}`]),
    one([...people, ...sets], ["holder"], [scopeObject("notes:read", notes), scopeObject("app:install")]),
    one(["role:a#assignee", "role:b#assignee"], ["can_grant"], [scopeObject("app:install")]),
    one(["user:ada", "user:bob"], ["member"], ["group:x", "group:y"]),
  );

  test("name exactly those whom the evaluator lets in, with tuples that are stored and belong together", async () => {
    const property = fc.asyncProperty(fc.array(tuple, { maxLength: 12 }), async (tuples) => {
      const authorization = await newAuthorization([...installationTuples(notes, scopes), ...tuples]);
      const stored = await authorization.read({});
      const known = new Set(stored.map((each) => JSON.stringify(each)));
      const asked = [
        ...scopes.map((permission) => ({ permission, appName: notes })),
        { permission: "app:install", appName: undefined },
      ];
      for (const { permission, appName } of asked) {
        const holders = await explainPermission(authorization, permission, appName);
        const everyone = holders.some(({ subject }) => subject === "user:*");
        for (const user of people) {
          const isHolder = await authorization.check({ user, relation: "holder", object: scopeObject(permission, appName) });
          const isNamed = holders.some(({ subject }) => subject === user) || (everyone && user.startsWith("user:"));
          assert.equal(isNamed, isHolder, `${user} ${permission}`);
          const held = await explainSubject(authorization, user);
          assert.equal(
            held.some((each) => each.permission === permission && each.appName === appName),
            isHolder,
            `${user} holds`,
          );
        }
        for (const { subject, via } of holders) {
          assert.equal(via[0]?.user, subject);
          assert.equal(via.at(-1)?.object, scopeObject(permission, appName));
          for (const [index, each] of via.entries()) {
            assert.ok(known.has(JSON.stringify(each)), JSON.stringify(each));
            const next = via[index + 1]?.user;
            assert.ok(next === undefined || next === each.object || next === `${each.object}#${each.relation}`);
          }
        }
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe("access of people", () => {
  let home: TestDatabase;
  let authorization: EmbeddedAuthorization;
  let identity: MapIdentity;
  before(async () => {
    home = await openHome();
  });
  beforeEach(async () => {
    authorization = await newAuthorization([...installationTuples(notes, ["notes:read"]), administrator]);
    identity = new MapIdentity();
    identity.sessions.set("1", { userId: "ada", displayName: "Ada Admin" });
  });
  after(() => home?.stop());

  const refused = new RefusedChanges();
  const context = () => contextOf({ authorization, identity, home }, refused);
  const audit = () => context().audit;

  test("lists what was given directly, in pages, with its source; what belongs to the platform and to groups is left out", async () => {
    const given = [
      { user: "group:staff#member", relation: "assignee", object: "role:readers" },
      { user: "group:team#member", relation: "viewer", object: `app:${notes}` },
      administrator,
      { user: "user:bob", relation: "holder", object: scopeObject("app:install") },
    ];
    const member = { user: "user:bob", relation: "member", object: "group:staff" };
    await authorization.write({ writes: [...given, ...initialTuples, member] });
    await home.database.transaction((tx) => context().mapped.change(tx, given.slice(0, 1), []));
    const pages: SourcedTuple[] = [];
    for (let after: string | undefined, hasNext = true; hasNext; ) {
      const page = await readGrants(context(), { first: 3, after }, callBy(ada));
      pages.push(...page.items);
      assert.equal(page.totalCount, 4);
      after = page.items.at(-1) && grantCursor(page.items.at(-1) as SourcedTuple);
      hasNext = page.hasNext;
    }
    assert.deepEqual(pages, [{ ...given[0], source: "identity.groups" }, ...given.slice(1)]);
    await home.database.transaction((tx) => context().mapped.change(tx, [], given.slice(0, 1)));
    await assert.rejects(readGrants(context(), {}, callBy(bob)), rejectsWith("PERMISSION_DENIED", /access:view/));
  });

  test("a grant is in force at once, explained and audited, and a revocation takes it", async () => {
    const viewer = { user: "user:bob", relation: "viewer", object: `app:${notes}` };
    assert.deepEqual(await grantAccess(context(), viewer, callBy(ada)), viewer);
    await grantAccess(context(), viewer, callBy(ada));
    const [link] = await authorization.read({ user: `app:${notes}`, object: "permission_scope:" });
    assert.deepEqual(await readHeld(context(), "user:bob", callBy(ada)), [
      { permission: "notes:read", appName: notes, via: [viewer, link] },
    ]);
    const holders = await readHolders(context(), { permission: "notes:read", appName: notes }, callBy(ada));
    assert.deepEqual(
      new Map(holders.map(({ subject }) => [subject.id, subject.displayName])),
      new Map([
        ["user:ada", "Ada Admin"],
        ["user:bob", undefined],
      ]),
    );
    assert.deepEqual(await readMembers(context(), notes, callBy(ada)), [
      { relation: "owner", subject: { id: "platform_role:admin#assignee", displayName: undefined } },
      { relation: "viewer", subject: { id: "user:bob", displayName: undefined } },
    ]);
    await revokeAccess(context(), viewer, callBy(ada));
    assert.deepEqual(await readHeld(context(), "user:bob", callBy(bob)), []);
    await assert.rejects(revokeAccess(context(), viewer, callBy(ada)), rejectsWith("NOT_FOUND", /not viewer of/));
    const entries = await audit().read({ target: `app:${notes}`, limit: 10 });
    assert.deepEqual(
      entries.map(({ action, actor }) => `${actor} ${action}`),
      ["user:ada permission.revoke", "user:ada permission.grant", "user:ada permission.grant"],
    );
  });

  test("roles name their assignees; the last administrator stays", async () => {
    await grantAccess(context(), { user: "user:bob", relation: "assignee", object: "role:readers" }, callBy(ada));
    await grantAccess(context(), { user: "role:readers#assignee", relation: "viewer", object: `app:${notes}` }, callBy(ada));
    assert.deepEqual(await readRoles(context(), callBy(ada)), [
      { id: "role:easy", isAdministrator: true, assignees: [{ id: "user:ada", displayName: "Ada Admin" }] },
      { id: "role:readers", isAdministrator: false, assignees: [{ id: "user:bob", displayName: undefined }] },
    ]);
    const [held] = await readHeld(context(), "user:bob", callBy(bob));
    assert.deepEqual(
      held?.via.map(({ user }) => user),
      ["user:bob", "role:readers#assignee", `app:${notes}`],
    );
    await assert.rejects(revokeAccess(context(), administrator, callBy(ada)), rejectsWith("INVALID_STATE", /no administrator/));
    const bobToo = { ...administrator, user: "user:bob" };
    await grantAccess(context(), bobToo, callBy(ada));
    identity.sessions.set("2", { userId: "bob", displayName: "Bob", isActive: false } as never);
    // Bob was invited, but has not completed the account.
    await assert.rejects(revokeAccess(context(), administrator, callBy(ada)), rejectsWith("INVALID_STATE", /can sign in/));
    identity.sessions.set("2", { userId: "bob", displayName: "Bob" });
    const both = await Promise.allSettled([administrator, bobToo].map((each) => revokeAccess(context(), each, callBy(ada))));
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    await authorization.write({ writes: [bobToo] });
    await authorization.write({ deletes: [administrator] });
    await grantAccess(context(), administrator, callBy(bob));
    await revokeAccess(context(), administrator, callBy(bob));
    await assert.rejects(readRoles(context(), callBy(ada)), rejectsWith("PERMISSION_DENIED", /access:view/));
  });

  test("only what belongs to people can be granted", async () => {
    const refused: readonly (readonly [string, string, string])[] = [
      ["bob", "viewer", `app:${notes}`],
      ["user:*", "owner", `app:${notes}`],
      ["user:*", "assignee", "role:easy"],
      ["user:bob", "assignee", "platform_role:admin"],
      ["user:bob", "viewer_app", scopeObject("app:install")],
      ["user:bob", "can_grant", scopeObject("app:install")],
      ["user:bob", "holder", "permission_scope:no_such"],
      ["user:bob", "holder", `app:${notes}`],
      ["user:bob", "viewer", "app:Not/An/App"],
      ["role:a#assignee", "assignee", "role:a"],
      ["app:com.example.shop", "owner", `app:${notes}`],
    ];
    for (const [user, relation, object] of refused) {
      const attempt = grantAccess(context(), { user, relation, object }, callBy(ada));
      await assert.rejects(attempt, rejectsWith("INVALID_REQUEST", /must/), `${user} ${relation} ${object}`);
    }
    const direct = { user: "user:bob", relation: "holder", object: scopeObject("app:view") };
    await grantAccess(context(), direct, callBy(ada));
    assert.equal(await authorization.check(direct), true);
  });

  test("people are listed and searched, and subjects named; names are left out if the identity provider is unreachable", async () => {
    assert.deepEqual(await searchPeople(context(), { search: "ad" }, callBy(ada)), [
      { id: "user:ada", displayName: "Ada Admin" },
    ]);
    identity.sessions.set("2", { userId: "zoe", displayName: "Aaron Zoe" });
    const everyone = await searchPeople(context(), {}, callBy(ada));
    assert.deepEqual(
      everyone.map(({ displayName }) => displayName),
      ["Aaron Zoe", "Ada Admin"],
      "by name",
    );
    assert.deepEqual(await readSubjects(context(), ["system", "user:ada", "user:gone"], callBy(ada)), [
      { id: "system", displayName: undefined },
      { id: "user:ada", displayName: "Ada Admin" },
      { id: "user:gone", displayName: undefined },
    ]);
    const tooMany = Array.from({ length: 101 }, (_, index) => `user:${index}`);
    await assert.rejects(readSubjects(context(), tooMany, callBy(ada)), rejectsWith("INVALID_REQUEST", /at most 100/));
    for (const request of [{ search: "a".repeat(257) }, { search: "a", first: 0 }, { search: "a", first: 51 }])
      await assert.rejects(searchPeople(context(), request, callBy(ada)), rejectsWith("INVALID_REQUEST", /must/));
    identity.find = () => Promise.reject(new Error("unreachable"));
    const [easy] = await readRoles(context(), callBy(ada));
    assert.deepEqual(easy?.assignees, [{ id: "user:ada", displayName: undefined }]);
  });

  test("needs access:view and access:manage; users see their own permissions without them", async () => {
    const tuple = { user: "user:bob", relation: "viewer", object: `app:${notes}` };
    const attempts: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => readHeld(context(), "user:ada", callBy(bob)), /access:view/],
      [() => readHolders(context(), { permission: "app:view", appName: undefined }, callBy(bob)), /access:view/],
      [() => readMembers(context(), notes, callBy(bob)), /access:view/],
      [() => searchPeople(context(), { search: "a" }, callBy(bob)), /access:view/],
      [() => readSubjects(context(), ["user:ada"], callBy(bob)), /app:view/],
      [() => grantAccess(context(), tuple, callBy(bob)), /access:manage/],
      [() => revokeAccess(context(), tuple, callBy(bob)), /access:manage/],
    ];
    for (const [attempt, permission] of attempts) await assert.rejects(attempt(), rejectsWith("PERMISSION_DENIED", permission));
    assert.deepEqual(await readHeld(context(), "user:bob", callBy(bob)), []);
  });

  test("an invitation gives the roles to the account, for a time that fits them", async () => {
    const invited: Parameters<Invitations["invite"]>[0][] = [];
    const invitations: Invitations = {
      invite: async (each) => {
        invited.push(each);
        return { userId: "new", path: "/login/registration#token=secret", endsAt: new Date(0) };
      },
      inviteByLetter: async () => ({ userId: "new", endsAt: new Date(0) }),
    };
    const inviting = { ...context(), people: invitations };
    const person = { email: "new@example.com", roles: ["readers"], withLink: true };
    assert.equal((await invitePerson(inviting, { ...person, withLink: false }, callBy(ada))).link, undefined, "by letter");
    assert.equal((await invitePerson(inviting, person, callBy(ada))).link, "/login/registration#token=secret");
    await invitePerson(inviting, { ...person, roles: ["easy"] }, callBy(ada));
    assert.deepEqual(
      invited.map(({ invitedBy, validMs }) => [invitedBy, validMs / 3_600_000]),
      [
        ["user:ada", 168],
        ["user:ada", 1],
      ],
    );
    const tuples = await authorization.read({ user: "user:new" });
    assert.deepEqual(new Set(tuples.map(({ object }) => object)), new Set(["role:easy", "role:readers"]));
    const entries = await audit().read({ target: "user:new", limit: 10 });
    assert.ok(entries.every(({ action, actor }) => action === "person.invite" && actor === "user:ada"));
    assert.doesNotMatch(JSON.stringify(entries), /secret|new@example/);
    for (const wrong of [{ validHours: 0 }, { validHours: 721 }, { roles: ["a#b"] }, { name: "a\nb" }])
      await assert.rejects(
        invitePerson(inviting, { ...person, ...wrong }, callBy(ada)),
        rejectsWith("INVALID_REQUEST", /must/),
      );
    await assert.rejects(invitePerson(inviting, person, callBy(bob)), rejectsWith("PERMISSION_DENIED", /access:manage/));
    const elsewhere = invitePerson({ ...context(), people: undefined }, person, callBy(ada));
    await assert.rejects(elsewhere, rejectsWith("INVALID_STATE", /invite the person there/));
    assert.equal(invited.length, 2);
  });

  test("what users try without access:manage is in the audit log, a limited number of times", async () => {
    const eve: Caller = { kind: "user", id: "eve", displayName: "Eve" };
    const tuple = { user: "user:eve", relation: "assignee", object: "role:easy" };
    await assert.rejects(revokeAccess(context(), tuple, callBy(eve)), rejectsWith("PERMISSION_DENIED", /access:manage/));
    for (let attempt = 0; attempt < 30; attempt += 1)
      await assert.rejects(grantAccess(context(), { ...tuple, relation: "x".repeat(10_000) }, callBy(eve)));
    const { rows } = await home.database.query<{ readonly action: string; readonly outcome: string; readonly length: number }>(
      "select action, outcome, length(details::text) as length from platform.audit_log where actor = 'user:eve' order by at, id",
    );
    assert.equal(rows.length, 20);
    const [first, second] = rows;
    assert.deepEqual([first?.action, first?.outcome, second?.action], ["permission.revoke", "denied", "permission.grant"]);
    assert.ok(rows.every(({ length }) => length < 1_000));
  });
});
