import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { admitCall, admitRegistrant, type Registrant } from "./call-admission.ts";

const anonymous: Caller = { kind: "anonymous" };
const user: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const app: Caller = { kind: "app", name: "clock", id: "1" };

test("how much of a call is read depends on who calls, and anonymous callers are refused where credentials are required", () => {
  const admitted = (caller: Caller, mode: "off" | "optional" | "required") => {
    const { isProven, maxMessageBytes } = admitCall(caller, mode);
    return [isProven, maxMessageBytes / 1_024];
  };
  assert.deepEqual(admitted(user, "required"), [true, 4_096]);
  assert.deepEqual(admitted(app, "required"), [true, 16_384]);
  assert.deepEqual(admitted(anonymous, "optional"), [false, 64]);
  assert.deepEqual(admitted(anonymous, "off"), [false, 16_384]);
  assert.throws(() => admitted(anonymous, "required"), { code: "AUTHENTICATION_REQUIRED" });
});

test("a registration is read in full with the token, up to a small limit without it, and not at all with a wrong one", () => {
  const nothing = { caller: anonymous, isOpen: false, hasToken: undefined, needsCredentials: false };
  const admitted = (more: Partial<Registrant>) => {
    const { isProven, maxMessageBytes } = admitRegistrant({ ...nothing, ...more });
    return [isProven, maxMessageBytes / 1_024];
  };
  assert.deepEqual(admitted({}), [false, 64]);
  assert.deepEqual(admitted({ hasToken: true, needsCredentials: true }), [true, 65_536]);
  assert.deepEqual(admitted({ caller: user, needsCredentials: true }), [true, 4_096]);
  assert.deepEqual(admitted({ isOpen: true, hasToken: false, needsCredentials: true }), [false, 65_536]);
  assert.throws(() => admitted({ hasToken: false }), { code: "AUTHENTICATION_FAILED" });
  assert.throws(() => admitted({ needsCredentials: true }), { code: "AUTHENTICATION_REQUIRED" });
});
