import assert from "node:assert/strict";
import test from "node:test";
import { UsageError } from "../usage-error.ts";
import { type AccessArguments, accessTuple } from "./access-tuple.ts";

const user = "user:ada";
const app = "org.example.purchases";
const objectOf = (given: Omit<AccessArguments, "user">): string => {
  const { relation, object } = accessTuple({ user, ...given });
  return `${relation} ${object}`;
};

test("a permission is given by its name, with or without its relation", () => {
  const use = `holder permission_scope:${app}/use_purchases`;
  assert.equal(objectOf({ access: "purchases:use", app }), use);
  assert.equal(objectOf({ access: `${app}/purchases:use` }), use);
  assert.equal(objectOf({ access: "holder", object: "purchases:use", app }), use);
  assert.equal(objectOf({ access: "holder", object: `permission_scope:${app}/use_purchases` }), use);
  assert.equal(objectOf({ access: "app:view" }), "holder permission_scope:view_app");
});

test("roles and levels of apps are tuples as they are", () => {
  assert.equal(objectOf({ access: "assignee", object: "role:easy" }), "assignee role:easy");
  assert.equal(objectOf({ access: "viewer", object: "app:view" }), "viewer app:view");
});

test("what is no permission is refused with the forms of one", () => {
  for (const given of [
    { access: "purchases:use" },
    { access: "viewer" },
    { access: "role:easy" },
    { access: `${app}/*` },
    { access: "purchases", app },
    { access: `${app}/purchases:use`, app },
    { access: "purchases:use", app: "No App" },
  ])
    assert.throws(() => objectOf(given), { name: UsageError.name, message: /is not a permission: .*<app>\/notes:read/ });
  assert.throws(() => objectOf({ access: "viewer", object: `app:${app}`, app }), /--app names the app of a permission/);
});
