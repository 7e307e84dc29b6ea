import assert from "node:assert/strict";
import { test } from "node:test";
import type { Viewer } from "../../viewer.ts";
import { missingPermissions } from "./deploy-permissions.ts";

const user: Viewer = {
  subject: "user:dora",
  kind: "user",
  displayName: "Dora",
  permissions: ["app:view", "app:install"],
  mayRegister: true,
};
const missing = (viewer: Partial<Viewer>, needed: { registrationToken?: string; approves?: boolean } = {}) =>
  missingPermissions({ ...user, ...viewer }, { approves: false, ...needed });

test("deploy names the permissions that are missing", () => {
  assert.equal(missing({}), undefined);
  assert.match(missing({ permissions: ["app:view"] }) ?? "", /^Dora \(user:dora\) lacks app:install, which deploy needs\./);
  assert.match(missing({}, { approves: true }) ?? "", /lacks permission:approve, /);
  assert.equal(missing({ permissions: [...user.permissions, "permission:approve"] }, { approves: true }), undefined);
});

test("a registration token stands for app:register only", () => {
  assert.match(missing({ mayRegister: false }) ?? "", /lacks app:register, .* APPSERVER_REGISTRATION_TOKEN/);
  assert.equal(missing({ mayRegister: false }, { registrationToken: "t" }), undefined);
  assert.match(missing({ kind: "anonymous", subject: null }, { registrationToken: "t" }) ?? "", /needs the session of a user/);
});
