import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousCaller } from "../caller.ts";
import { runInTrace } from "../telemetry/current-trace.ts";
import { auditedUser } from "./audited-user.ts";

const alice = { kind: "user", id: "alice", displayName: "Alice" } as const;

test("actions of users are audited, in the current trace", () => {
  assert.deepEqual(auditedUser(alice), { actor: "user:alice" });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traced = runInTrace(`00-${traceId}-00f067aa0ba902b7-01`, () => auditedUser(alice));
  assert.deepEqual(traced, { actor: "user:alice", traceId });
});

test("actions of apps, the platform and anonymous callers are not audited", () => {
  assert.equal(auditedUser({ kind: "app", name: "com.example.notes", id: "1" }), undefined);
  assert.equal(auditedUser({ kind: "system", reason: "test" }), undefined);
  assert.equal(auditedUser(anonymousCaller), undefined);
});
