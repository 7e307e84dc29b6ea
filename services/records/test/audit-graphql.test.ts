import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppError, anonymousCaller, type Caller, uuidv7 } from "@appserver/kernel";
import type { AuditEntry, AuditQuery } from "@appserver/kernel/ports";
import { callBy } from "@appserver/testing/kit";
import { auditResolvers } from "../src/api/audit-graphql.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const target = "app:a";
const written = Array.from({ length: 3 }, (_, number): AuditEntry => {
  const id = uuidv7();
  return { id, at: new Date(number), actor: "user:eve", action: "settings.update", target, outcome: "success" };
}).reverse();

const queries: AuditQuery[] = [];
const resolvers = auditResolvers(
  {
    read: async (query) => {
      queries.push(query);
      return written.filter(({ id }) => query.after === undefined || id < query.after).slice(0, query.limit);
    },
    count: async () => written.length,
  },
  {
    allowed: (caller, permission, owner) =>
      caller.kind === "system" ||
      (caller.kind === "user" && caller.id === "alice" && permission === "audit:view" && owner === undefined),
  },
);
const { auditLog } = resolvers.Query;
const list = (args: Parameters<typeof auditLog>[1], caller: Caller = alice) => auditLog(undefined, args, callBy(caller));

test("each page starts after the previous one, newest entries first", async () => {
  const first = await list({ first: 2 });
  assert.deepEqual(
    first.edges.map(({ node }) => node.id),
    written.slice(0, 2).map(({ id }) => id),
  );
  assert.partialDeepStrictEqual(first.edges[0]?.node, { at: new Date(2), target });
  assert.partialDeepStrictEqual(first.pageInfo, { hasNextPage: true, hasPreviousPage: false });
  assert.equal(await resolvers.AuditConnection.totalCount(first), 3);
  const last = await list({ first: 2, after: first.pageInfo.endCursor, target });
  assert.deepEqual(
    last.edges.map(({ node }) => node.id),
    [written[2]?.id],
  );
  assert.equal(queries.at(-1)?.after, written[1]?.id);
  assert.partialDeepStrictEqual(last.pageInfo, { hasNextPage: false, hasPreviousPage: true });
  assert.equal(queries.at(-1)?.target, target);
});

test("only callers with audit:view can read it", async () => {
  const refusedAs = (code: string) => (error: AppError) => error.code === code && error.message.includes("audit:view");
  await assert.rejects(list({}, bob), refusedAs("PERMISSION_DENIED"));
  await assert.rejects(list({}, anonymousCaller), refusedAs("AUTHENTICATION_REQUIRED"));
  assert.equal((await list({}, { kind: "system", reason: "development" })).edges.length, 3);
});

test("the error for invalid arguments names them", async () => {
  const refusedFor = (field: string) => (error: AppError) =>
    error.code === "INVALID_REQUEST" && error.violations[0]?.field === field;
  for (const first of [0, 251]) await assert.rejects(list({ first }), refusedFor("first"));
  await assert.rejects(list({ after: "yesterday" }), refusedFor("after"));
  await assert.rejects(list({ target: "app:\u0000" }), refusedFor("target"));
  await assert.rejects(list({ actor: "\u0000" }), refusedFor("actor"));
  await assert.rejects(list({ outcome: "maybe" }), refusedFor("outcome"));
});
