import assert from "node:assert/strict";
import { test } from "node:test";
import { auditEntry, initiatorOf, userAuditEntry } from "./audit-entry.ts";
import { anonymousCaller } from "./caller.ts";
import { runInTrace } from "./telemetry/current-trace.ts";

const alice = { kind: "user", id: "alice", displayName: "Alice" } as const;
const action = { action: "hook.trigger", target: "hook:a.b", details: { eventId: "1" } };
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

test("an entry names the caller and the trace of its call", () => {
  assert.deepEqual(auditEntry({ caller: alice }, action), { ...action, actor: "user:alice", outcome: "success" });
  const denied = auditEntry({ caller: anonymousCaller, traceparent }, { ...action, outcome: "denied" });
  assert.deepEqual(denied, { ...action, actor: "anonymous", outcome: "denied", traceId });
});

test("an entry of a language model names its program, also after its call", () => {
  const caller = { ...alice, agent: { client: "said: editor" } };
  const entry = { ...action, actor: "user:alice", client: "said: editor", outcome: "success" };
  assert.deepEqual(auditEntry({ caller }, action), entry);
  assert.deepEqual(auditEntry(initiatorOf(caller), action), entry);
});

test("an entry without a call names its actor or the platform, and the current trace", () => {
  assert.deepEqual(auditEntry({ actor: undefined }, action), { ...action, actor: "system", outcome: "success" });
  const traced = runInTrace(traceparent, () => auditEntry({ actor: "operator" }, action));
  assert.deepEqual(traced, { ...action, actor: "operator", outcome: "success", traceId });
});

test("actions of apps, the platform and anonymous callers are not audited where only users are", () => {
  assert.deepEqual(userAuditEntry({ caller: alice }, action), auditEntry({ caller: alice }, action));
  assert.equal(userAuditEntry({ caller: { kind: "app", name: "com.example.notes", id: "1" } }, action), undefined);
  assert.equal(userAuditEntry({ caller: { kind: "system", reason: "test" } }, action), undefined);
  assert.equal(userAuditEntry({ caller: anonymousCaller }, action), undefined);
});
