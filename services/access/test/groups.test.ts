import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { groupName, groupObject, installationTuples } from "@appserver/contracts/authorization";
import type { Caller } from "@appserver/kernel";
import { callBy, MapIdentity, rejectsWith, type TestDatabase } from "@appserver/testing/kit";
import { applyGroupMap, type GroupMap } from "../src/use-cases/apply-group-map.ts";
import { grantAccess, revokeAccess } from "../src/use-cases/change-access.ts";
import { forgetPerson, readPerson } from "../src/use-cases/forget-person.ts";
import { requireOtherAdministrator } from "../src/use-cases/last-administrator.ts";
import { previewGroups } from "../src/use-cases/preview-groups.ts";
import { readGroups, readHeld } from "../src/use-cases/read-access.ts";
import { groupMemberships } from "../src/use-cases/synchronise-groups.ts";
import { contextOf, openHome, startAuthorization } from "./access-fixture.ts";

const notes = "com.example.notes";
const dayMs = 86_400_000;
const root: Caller = { kind: "user", id: "root", displayName: "Root" };
const hand = { user: "user:root", relation: "assignee", object: "role:easy" };

let home: TestDatabase;
let authorization: EmbeddedAuthorization;
let identity: MapIdentity;
before(async () => {
  home = await openHome();
});
beforeEach(async () => {
  await home.database.query("truncate access.group_readings, access.mapped_grants, platform.audit_log");
  authorization = await startAuthorization([...installationTuples(notes, ["notes:read", "notes:write"]), hand]);
  identity = new MapIdentity();
  for (const userId of ["root", "ada", "bob"]) identity.sessions.set(userId, { userId, displayName: userId });
});
afterEach(() => authorization.stop());
after(() => home?.stop());

const context = () => contextOf({ authorization, identity, home });
const memberships = () => groupMemberships(context());
const map = (given: GroupMap) => applyGroupMap(context(), given);
const groupsOf = async (userId: string): Promise<readonly (string | undefined)[]> => {
  const tuples = await authorization.read({ user: `user:${userId}`, relation: "member", object: "group:" });
  return tuples.map(({ object }) => groupName(object));
};
const isAdministrator = (user: string): Promise<boolean> =>
  authorization.check({ user, relation: "assignee", object: "platform_role:admin" });

test("groups of any name are roles and levels of apps, with the source that said so", async () => {
  await map({ finance: [`app:${notes}#editor`, "role:readers"], "Acme/Platform: Ä": ["role:easy"] });
  await memberships().replace({ userId: "ada", source: "oidc:acme", groups: ["finance", "Acme/Platform: Ä", "finance", ""] });
  assert.deepEqual(new Set(await groupsOf("ada")), new Set(["finance", "Acme/Platform: Ä"]));
  assert.equal(await isAdministrator("user:ada"), true);
  const held = await readHeld(context(), "user:ada", callBy(root));
  const write = held.find(({ permission }) => permission === "notes:write");
  const [member, given] = write?.via ?? [];
  assert.deepEqual([member?.object, member?.source, given?.source], ["group:finance", "oidc:acme", "identity.groups"]);
  assert.ok(Date.now() - (member?.readAt?.getTime() ?? 0) < 60_000);
  assert.deepEqual(
    (await readGroups(context(), callBy(root))).map(({ name, members }) => [
      name,
      members.map(({ displayName }) => displayName),
    ]),
    [
      ["Acme/Platform: Ä", ["ada"]],
      ["finance", ["ada"]],
    ],
  );
  const entries = await context().audit.read({ target: "group:finance", limit: 10 });
  assert.deepEqual(
    entries.map(({ actor, action, details }) => [actor, action, details?.["source"]]),
    [["identity", "permission.grant", "oidc:acme"]],
  );
});

test("a person is in a group as long as any source says so", async () => {
  const { replace } = memberships();
  await replace({ userId: "ada", source: "oidc:acme", groups: ["a", "b"] });
  await replace({ userId: "ada", source: "scim", groups: ["b", "c"] });
  await replace({ userId: "ada", source: "oidc:acme", groups: [] });
  assert.deepEqual(await groupsOf("ada"), ["b", "c"]);
  await Promise.all(["a", "b", "c", "d"].map((source) => replace({ userId: "ada", source, groups: [source, "all"] })));
  assert.deepEqual(new Set(await groupsOf("ada")), new Set(["a", "b", "c", "d", "all"]));
});

test("a source that cannot tell keeps its groups for a time only", async () => {
  const { replace, keep } = memberships();
  assert.equal(await keep({ userId: "ada", source: "oidc:acme", maxAgeMs: dayMs }), false);
  await replace({ userId: "ada", source: "oidc:acme", groups: ["finance"] });
  assert.equal(await keep({ userId: "ada", source: "oidc:acme", maxAgeMs: dayMs }), true);
  assert.deepEqual(await groupsOf("ada"), ["finance"]);
  await home.database.query("update access.group_readings set read_at = now() - interval '25 h'");
  assert.equal(await keep({ userId: "ada", source: "oidc:acme", maxAgeMs: dayMs }), false);
  assert.deepEqual(await groupsOf("ada"), []);
});

test("sources and hands never overwrite each other", async () => {
  const byHand = { user: "group:finance#member", relation: "viewer", object: `app:${notes}` };
  await grantAccess(context(), byHand, callBy(root));
  await map({ finance: [`app:${notes}#viewer`, `app:${notes}#editor`] });
  const mapped = { ...byHand, relation: "editor" };
  await assert.rejects(revokeAccess(context(), mapped, callBy(root)), rejectsWith("INVALID_STATE", /identity\.groups/));
  await map({});
  assert.deepEqual(await authorization.read({ user: byHand.user }), [byHand]);
  await revokeAccess(context(), byHand, callBy(root));

  await grantAccess(context(), { user: "user:ada", relation: "assignee", object: "role:easy" }, callBy(root));
  await memberships().replace({ userId: "ada", source: "scim", groups: [] });
  assert.equal(await isAdministrator("user:ada"), true);
  const forged = { user: "user:ada", relation: "member", object: "group:finance" };
  await assert.rejects(grantAccess(context(), forged, callBy(root)), rejectsWith("INVALID_REQUEST", /relation/));
});

test("the last administrator stays, whether a group, the map or a hand would remove them", async () => {
  const { replace } = memberships();
  await map({ admins: ["role:easy"] });
  await replace({ userId: "ada", source: "scim", groups: ["admins", "other"] });
  await revokeAccess(context(), hand, callBy(root));

  await replace({ userId: "ada", source: "scim", groups: [] });
  assert.deepEqual(await groupsOf("ada"), ["admins"]);
  await map({});
  assert.equal(await isAdministrator("user:ada"), true);

  await replace({ userId: "bob", source: "scim", groups: ["admins"] });
  await replace({ userId: "ada", source: "scim", groups: [] });
  assert.deepEqual(await groupsOf("ada"), []);
  const both = ["ada", "bob"];
  await replace({ userId: "ada", source: "scim", groups: ["admins"] });
  await Promise.all(both.map((userId) => replace({ userId, source: "scim", groups: [] })));
  assert.equal((await Promise.all(both.map(groupsOf))).flat().length, 1);
});

test("a person who is removed has no tuple and no reading; the last administrator is refused", async () => {
  await map({ admins: ["role:easy"] });
  await memberships().replace({ userId: "ada", source: "scim", groups: ["admins", "other"] });
  await home.database.transaction((tx) => requireOtherAdministrator(context(), tx, "root"));
  await home.database.transaction((tx) => forgetPerson(context(), tx, "ada", { actor: "operator" }));
  const left = await home.database.transaction((tx) => readPerson(context(), tx, "ada"));
  assert.deepEqual(left, { tuples: [], groups: [], requests: [], messages: [], agents: [] });
  const last = home.database.transaction((tx) => requireOtherAdministrator(context(), tx, "root"));
  await assert.rejects(last, rejectsWith("INVALID_STATE", /there would be no administrator/));
});

test("a preview shows what a map would change, and changes nothing", async () => {
  await map({ finance: ["role:readers", `app:${notes}#editor`] });
  await grantAccess(context(), { user: "group:finance#member", relation: "viewer", object: `app:${notes}` }, callBy(root));
  await memberships().replace({ userId: "ada", source: "scim", groups: ["finance", "other"] });
  const before = await authorization.read({});
  const preview = await previewGroups(context(), { finance: ["role:readers", "role:easy"] }, "ada");
  assert.deepEqual(
    preview.map(({ name, told, grants }) => [name, told.map(({ source }) => source), grants]),
    [
      [
        "finance",
        ["scim"],
        [
          { relation: "editor", object: `app:${notes}`, change: "ends" },
          { relation: "viewer", object: `app:${notes}`, change: "stays" },
          { relation: "assignee", object: "role:easy", change: "begins" },
          { relation: "assignee", object: "role:readers", change: "stays" },
        ],
      ],
      ["other", ["scim"], []],
    ],
  );
  assert.deepEqual(await authorization.read({}), before);
});

test("a person is the last administrator only if no other one can sign in", async () => {
  const isLast = (userId: string): Promise<boolean> =>
    home.database.transaction((tx) => memberships().isLastAdministrator(tx, userId));
  assert.equal(await isLast("root"), true);
  assert.equal(await isLast("ada"), false, "who is no administrator");
  await map({ admins: ["role:easy"] });
  await memberships().replace({ userId: "ada", source: "scim", groups: ["admins"] });
  assert.deepEqual([await isLast("root"), await isLast("ada")], [false, false]);
  identity.sessions.delete("root");
  assert.deepEqual([await isLast("root"), await isLast("ada")], [false, true], "an account that is not there does not count");
});

test("of two administrators who are removed at once, one waits for the other and is the last", async () => {
  await map({ admins: ["role:easy"] });
  await revokeAfter(["ada", "bob"]);
  const remove = (userId: string): Promise<boolean> =>
    home.database.transaction(async (tx) => {
      const isLast = await memberships().isLastAdministrator(tx, userId);
      if (!isLast) identity.sessions.delete(userId);
      return isLast;
    });
  assert.deepEqual((await Promise.all(["ada", "bob"].map(remove))).sort(), [false, true]);
});

/** Makes these the only administrators. */
async function revokeAfter(userIds: readonly string[]): Promise<void> {
  for (const userId of userIds) await memberships().replace({ userId, source: "scim", groups: ["admins"] });
  await revokeAccess(context(), hand, callBy(root));
}

test("names of groups and their ids are one to one", () => {
  for (const name of ["a", "A b", "a/b", "x:y#z", "ä(!)*'~", "100%", "%41"])
    assert.equal(groupName(groupObject(name) ?? ""), name);
  assert.match(groupObject("x:y#z @*") ?? "", /^group:[A-Za-z0-9._@+|%-]+$/);
  for (const name of ["", "x".repeat(129), "ä".repeat(30)]) assert.equal(groupObject(name), undefined);
});
