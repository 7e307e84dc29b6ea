import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, foreseenError } from "./index.ts";
import { DatabaseError } from "./platform-ports/index.ts";

test("what was thrown on purpose is told as it is", () => {
  const error = new AppError("CONFLICT", "another command is under way");
  assert.equal(foreseenError(error), error);
});

test("a database that is away or too slow is SERVICE_UNAVAILABLE, its own words unsaid", () => {
  for (const reason of ["unavailable", "timeout"] as const) {
    const cause = new DatabaseError(reason, "connect ECONNREFUSED 10.0.0.7:5432");
    const error = foreseenError(cause);
    assert.equal(error?.code, "SERVICE_UNAVAILABLE");
    assert.equal(error.cause, cause);
    assert.doesNotMatch(JSON.stringify([error.message, error.details]), /ECONNREFUSED|5432/);
  }
});

test("anything else was not foreseen", () => {
  const others = [new Error("x"), "x", undefined, new AppError("INTERNAL_ERROR", "x"), new DatabaseError("other", "x")];
  assert.deepEqual(others.map(foreseenError), [undefined, undefined, undefined, undefined, undefined]);
});
