import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, expectedError } from "./index.ts";
import { DatabaseError } from "./platform-ports/index.ts";

test("an AppError is returned unchanged", () => {
  const error = new AppError("CONFLICT", "another command is running");
  assert.equal(expectedError(error), error);
});

test("an unreachable or slow database is SERVICE_UNAVAILABLE, without the database's own message", () => {
  for (const reason of ["unavailable", "timeout"] as const) {
    const cause = new DatabaseError(reason, "connect ECONNREFUSED 10.0.0.7:5432");
    const error = expectedError(cause);
    assert.equal(error?.code, "SERVICE_UNAVAILABLE");
    assert.equal(error.cause, cause);
    assert.doesNotMatch(JSON.stringify([error.message, error.details]), /ECONNREFUSED|5432/);
  }
});

test("what a database is out of is the reason", () => {
  const seen = (["disk", "locks", "notifications", "connections"] as const).map((exhausted) =>
    expectedError(new DatabaseError("unavailable", "out of shared memory", { exhausted })),
  );
  assert.deepEqual(new Set(seen.map((error) => error?.code)), new Set(["SERVICE_UNAVAILABLE"]));
  assert.deepEqual(
    seen.map((error) => error?.details["reason"]),
    ["database_disk_full", "database_out_of_locks", "database_notifications_full", "database_out_of_connections"],
  );
});

test("any other error is unexpected", () => {
  const others = [new Error("x"), "x", undefined, new AppError("INTERNAL_ERROR", "x"), new DatabaseError("other", "x")];
  assert.deepEqual(others.map(expectedError), [undefined, undefined, undefined, undefined, undefined]);
});
