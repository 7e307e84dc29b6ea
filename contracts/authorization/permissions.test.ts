import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { authorizationModel, authorizationModelText, initialTuples, platformPermissions } from "./index.ts";
import { hierarchyRelation, installationTuples, isPermission, permissionOf, scopeObject } from "./permissions.ts";

test("the object of a platform permission is `<action>_<resource>`", () => {
  assert.equal(scopeObject("app:install"), "permission_scope:install_app");
  assert.equal(scopeObject("app:uninstall"), "permission_scope:uninstall_app");
  assert.equal(scopeObject("settings:read_secrets"), "permission_scope:read_secrets_settings");
});

test("the object of an app's scope contains the app's name", () => {
  assert.equal(scopeObject("notes:read", "com.example.notes"), "permission_scope:com.example.notes/read_notes");
});

test("two permissions never have the same object", () => {
  assert.notEqual(scopeObject("secrets_settings:read"), scopeObject("settings:read_secrets"));
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "0", "_", ".", "-"), minLength: 1, maxLength: 7 });
  const permission = fc.tuple(letters, letters).map((words) => words.join(":"));
  const owned = fc.tuple(permission.filter(isPermission), fc.constantFrom(undefined, "a", "b", "a.b", "a_b"));
  const seen = new Map<string, string>();
  const property = fc.property(owned, ([text, owner]) => {
    const object = scopeObject(text, owner);
    const identity = `${owner ?? ""}|${text}`;
    assert.deepEqual(permissionOf(object), { permission: text, appName: owner });
    assert.equal(seen.get(object) ?? identity, identity);
    seen.set(object, identity);
  });
  fc.assert(property, { numRuns: 20_000 });
});

test("an object that is no permission's names none", () => {
  for (const object of ["role:easy", "permission_scope:x", "permission_scope:A_b", "permission_scope:/read_a", "app:a"])
    assert.equal(permissionOf(object), undefined, object);
});

test("malformed permissions and app names are refused", () => {
  for (const permission of [
    "",
    "notes",
    "notes:",
    ":read",
    "a:b:c",
    "Notes:read",
    "notes:read ",
    "notes:*",
    "a/b:read",
    "a#b:read",
    "a__b:read",
    "a:read_",
    `${"a".repeat(64)}:read`,
    `a:${"r".repeat(64)}`,
  ]) {
    assert.equal(isPermission(permission), false, permission);
    assert.throws(() => scopeObject(permission), RangeError, permission);
  }
  for (const app of ["", "A", "a/b", "a#b", "a:b", "-a", "a".repeat(64)]) {
    assert.throws(() => scopeObject("notes:read", app), RangeError, app);
  }
});

test("unknown actions require an owner", () => {
  assert.deepEqual(["read", "list", "view"].map(hierarchyRelation), ["viewer_app", "viewer_app", "viewer_app"]);
  assert.deepEqual(["create", "update", "write"].map(hierarchyRelation), ["editor_app", "editor_app", "editor_app"]);
  assert.deepEqual(["delete", "read_secrets", "constructor"].map(hierarchyRelation), ["owner_app", "owner_app", "owner_app"]);
});

test("the initial tuples contain the administrator role and every scope of the platform", () => {
  const has = (user: string, relation: string, object: string): boolean =>
    initialTuples.some((tuple) => tuple.user === user && tuple.relation === relation && tuple.object === object);
  assert.ok(has("role:easy#assignee", "assignee", "platform_role:admin"));
  assert.ok(has("platform_role:admin#assignee", "can_grant", "permission_scope:install_app"));
  assert.ok(has("platform_role:admin#assignee", "can_grant", "permission_scope:uninstall_app"));
  assert.equal(initialTuples.length, 1 + Object.keys(platformPermissions).length);
});

test("an installation links each scope once, at the level that its action requires", () => {
  assert.deepEqual(installationTuples("com.example.notes", ["notes:read", "notes:write", "notes:read", "notes:purge"]), [
    { user: "platform_role:admin#assignee", relation: "owner", object: "app:com.example.notes" },
    { user: "app:com.example.notes", relation: "viewer_app", object: "permission_scope:com.example.notes/read_notes" },
    { user: "app:com.example.notes", relation: "editor_app", object: "permission_scope:com.example.notes/write_notes" },
    { user: "app:com.example.notes", relation: "owner_app", object: "permission_scope:com.example.notes/purge_notes" },
  ]);
});

test("the model is exported as text and as JSON", () => {
  assert.match(authorizationModelText, /^model\n {2}schema 1\.1\n/);
  assert.equal(authorizationModel.schema_version, "1.1");
});
