import assert from "node:assert/strict";
import { test } from "node:test";
import { isAppError } from "@appserver/kernel";
import { refuseAmbiguousName, upstreamVariable } from "./upstream-variable.ts";

test("dots and hyphens become underscores, uppercased", () => {
  assert.equal(upstreamVariable("com.example.my-notes"), "UPSTREAM_COM_EXAMPLE_MY_NOTES");
});

test("of two apps with the same variable, the later one is refused with both names, and the earlier one keeps running", () => {
  const earlier = { id: "0193b8f0-0000-7000-8000-000000000001", name: "a.b" };
  const later = { id: "0193b8f0-0000-7000-8000-000000000002", name: "a-b" };
  const both = [later, earlier];
  refuseAmbiguousName(earlier, both);
  assert.throws(
    () => refuseAmbiguousName(later, both),
    (error) => isAppError(error, "CONFLICT") && /a-b and a\.b .*UPSTREAM_A_B/.test(error.message),
  );
  refuseAmbiguousName({ ...later, name: "a-c" }, both);
});
