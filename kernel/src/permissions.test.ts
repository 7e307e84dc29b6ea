import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthorizedPermissions } from "@appserver/testing/kit";
import { type AppError, anonymousCaller, type Caller, requirePermission } from "./index.ts";

const checked: unknown[] = [];
const authorization = {
  check: async (tuple: { readonly user: string }) => {
    checked.push(tuple);
    return tuple.user === "user:alice";
  },
};
const permissions = new AuthorizedPermissions(authorization);
const named = (id: string) => ({ kind: "user", id, displayName: id }) as const;
const refusedAs = (code: string) => (error: AppError) => error.code === code && error.message.includes("app:view");

test("holders of a permission pass, and so does the platform itself, without a check", async () => {
  await requirePermission(permissions, { caller: named("alice") }, "app:view");
  await requirePermission(permissions, { caller: { kind: "system", reason: "development" } }, "app:view");
  assert.deepEqual(checked, [{ user: "user:alice", relation: "holder", object: "permission_scope:view_app" }]);
});

test("other callers get an error with the missing permission, anonymous callers an error that requires authentication", async () => {
  const require = (caller: Caller) => requirePermission(permissions, { caller }, "app:view");
  await assert.rejects(require(named("bob")), refusedAs("PERMISSION_DENIED"));
  await assert.rejects(require({ kind: "app", name: "a", id: "1" }), refusedAs("PERMISSION_DENIED"));
  await assert.rejects(require(anonymousCaller), refusedAs("AUTHENTICATION_REQUIRED"));
});
