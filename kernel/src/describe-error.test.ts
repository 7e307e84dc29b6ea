import assert from "node:assert/strict";
import test from "node:test";
import { describeError } from "./describe-error.ts";

test("the description includes the causes and excludes properties that libraries add", () => {
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED", client: { password: "canary" } });
  const error = Object.assign(new Error("the database is unreachable", { cause }), { config: { password: "canary" } });
  const described = describeError(error);
  assert.doesNotMatch(JSON.stringify(described), /canary/);
  assert.ok(typeof described === "object" && typeof described.cause === "object");
  assert.deepEqual(
    [described.message, described.cause.message, described.cause.code],
    ["the database is unreachable", "refused", "ECONNREFUSED"],
  );
  assert.equal(describeError("thrown text"), "thrown text");
});
