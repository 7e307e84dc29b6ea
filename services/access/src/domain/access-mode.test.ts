import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousCaller, type Caller } from "@appserver/kernel";
import { admit } from "./access-mode.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };

test("the access mode concerns only callers without credentials", () => {
  for (const mode of ["off", "optional", "required"] as const) assert.equal(admit(alice, mode), alice);
  assert.equal(admit(anonymousCaller, "off").kind, "system");
  assert.equal(admit(anonymousCaller, "optional"), anonymousCaller);
  assert.throws(() => admit(anonymousCaller, "required"), { code: "AUTHENTICATION_REQUIRED" });
});
