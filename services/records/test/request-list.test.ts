import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { anonymousCaller, type Caller, maxFieldLength, platformMigrations } from "@appserver/kernel";
import type { HandledRequest, StoredRequest } from "@appserver/kernel/ports";
import {
  callBy,
  createTestDatabase,
  FakeClock,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { recordsMigrations } from "../migrations/index.ts";
import { SqlRequestHistory } from "../src/adapters/sql-request-history.ts";
import { requestResolvers } from "../src/api/requests-graphql.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const notes = "com.example.notes";

describe("the list of requests", () => {
  let clock: FakeClock;
  let server: TestPostgres;
  let fixture: TestDatabase;
  let history: SqlRequestHistory;
  let added: StoredRequest[];
  let resolvers: ReturnType<typeof requestResolvers>;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
  });
  beforeEach(async () => {
    await fixture.database.query("truncate platform.requests");
    clock = new FakeClock();
    history = new SqlRequestHistory(fixture.database, clock);
    const allowed = (caller: Caller, permission: string): boolean =>
      caller.kind === "user" && caller.id === "alice" && permission === "trace:view";
    const log = {
      add: (request: HandledRequest, endedAt = clock.now()) =>
        added.push({ ...request, at: new Date(endedAt - request.durationMs) }),
    };
    added = [];
    resolvers = requestResolvers({ requests: history, permissions: { allowed }, log, clock });
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });

  const list = (args: Parameters<(typeof resolvers)["Query"]["requests"]>[1], caller: Caller = alice) =>
    resolvers.Query.requests(undefined, args, callBy(caller));
  const idsOf = async (args: Parameters<typeof list>[0]) => (await list(args)).edges.map(({ node }) => node.requestId);
  /** `ms` before now. */
  const ago = (ms: number): Date => new Date(clock.now() - ms);
  const request = (requestId: string, at: Date, more: Partial<StoredRequest> = {}): StoredRequest => ({
    requestId,
    at,
    traceId: "a".repeat(32),
    method: "GET",
    pattern: "/notes",
    status: 200,
    app: notes,
    caller: "user:alice",
    durationMs: 5,
    upstreamMs: 4,
    reasonId: undefined,
    ...more,
  });

  test("has the newest first, of an app and of the platform, and none from before the last hour", async () => {
    await history.append([
      request("of the platform", ago(20), { app: undefined, pattern: "/graphql", reasonId: "NOT_FOUND" }),
      request("newest", ago(10)),
      request("too old", ago(3_600_001)),
    ]);
    const { edges, pageInfo } = await list({});
    assert.deepEqual(
      edges.map(({ node }) => [node.requestId, node.appName, node.route, node.reason]),
      [
        ["newest", notes, "/notes", undefined],
        ["of the platform", undefined, "/graphql", "NOT_FOUND"],
      ],
    );
    assert.equal(pageInfo.hasNextPage, false);
    assert.deepEqual(await idsOf({ since: ago(7_200_000).toISOString() }), ["newest", "of the platform"]);
  });

  test("each filter leaves out the others, and all of them hold together", async () => {
    await history.append([
      request("plain", ago(1_000)),
      request("of clock", ago(2_000), { app: "com.example.clock" }),
      request("refused", ago(3_000), { status: 401, reasonId: "session_missing", caller: "anonymous" }),
      request("broken", ago(4_000), { status: 502, durationMs: 3_000 }),
      request("slow", ago(5_000), { durationMs: 900 }),
      request("posted", ago(6_000), { method: "POST", app: undefined, reasonId: "CONFLICT" }),
    ]);
    assert.deepEqual(await idsOf({ appName: "com.example.clock" }), ["of clock"]);
    assert.deepEqual(await idsOf({ failed: true }), ["refused", "broken", "posted"]);
    assert.deepEqual(await idsOf({ failed: false, first: 2 }), ["plain", "of clock"]);
    assert.deepEqual(await idsOf({ minStatus: 500 }), ["broken"]);
    assert.deepEqual(await idsOf({ slowerThanMs: 500 }), ["broken", "slow"]);
    assert.deepEqual(await idsOf({ slowerThanMs: 900 }), ["broken"]);
    assert.deepEqual(await idsOf({ caller: "anonymous" }), ["refused"]);
    assert.deepEqual(await idsOf({ method: "POST" }), ["posted"]);
    const [since, until] = [ago(5_000).toISOString(), ago(3_000).toISOString()];
    assert.deepEqual(await idsOf({ since, until }), ["broken", "slow"]);
    assert.deepEqual(await idsOf({ appName: notes, failed: true, slowerThanMs: 100, caller: "user:alice" }), ["broken"]);
  });

  test("pages have each request once, also of those that began at the same time, while others are added", async () => {
    const ids = Array.from({ length: 7 }, (_, number) => `r${number}`);
    await history.append(ids.map((id, number) => request(id, ago(number < 5 ? 50 : 60))));
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { edges, pageInfo } = await list({ first: 3, after });
      seen.push(...edges.map(({ node }) => node.requestId));
      assert.equal(pageInfo.hasPreviousPage, after !== null);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      await history.append([request("added", ago(0))]);
    } while (after !== null);
    assert.deepEqual(seen.toSorted(), ids);
    assert.deepEqual(seen.slice(5).toSorted(), ["r5", "r6"]);
  });

  test("requests whose app and caller are as long as they may be are stored and found", async () => {
    const long = (seed: number): string =>
      Array.from({ length: maxFieldLength }, (_, index) =>
        String.fromCharCode(0x4e00 + ((index * 7_919 + seed * 104_729) % 20_000)),
      ).join("");
    await history.append([request("long", ago(1), { app: long(1), caller: long(2) })]);
    assert.deepEqual(await idsOf({ appName: long(1), caller: long(2) }), ["long"]);
    assert.deepEqual(await idsOf({ caller: long(2).slice(0, 300) }), []);
  });

  test("a filter by app, caller or failure reads from an index, however many other requests there are", async () => {
    const at = ago(1_000);
    await fixture.database.query(
      `insert into platform.requests (at, request_id, trace_id, app_name, method, status, duration_ms, caller)
       select $1::timestamptz - n * interval '1 ms', 'r' || n, 't' || n, 'com.example.' || n % 50, 'GET', 200, 1, 'user:' || n % 500
       from generate_series(1, 20000) as n`,
      [at],
    );
    await history.append([request("rare", ago(3_000_000), { status: 500, app: "rare", caller: "rare" })]);
    await fixture.database.query("analyze platform.requests");
    const plans = {
      requests_at: "true",
      requests_app: "left(app_name, 255) = left('rare', 255) and app_name = 'rare'",
      requests_caller: "left(caller, 255) = left('rare', 255) and caller = 'rare'",
      requests_failed: "(status >= 400 or reason is not null)",
    };
    for (const [index, condition] of Object.entries(plans)) {
      const { rows } = await fixture.database.query<{ readonly "QUERY PLAN": string }>(
        `explain select * from platform.requests where ${condition} and at >= '${ago(3_600_000).toISOString()}'
         order by at desc, position desc limit 51`,
      );
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.match(plan, new RegExp(`Index Scan (?:Backward using|on) ${index}\\b`), plan);
    }
    for (const filter of [{ appName: "rare" }, { caller: "rare" }, { failed: true }])
      assert.deepEqual(await idsOf(filter), ["rare"]);
  });

  test("needs trace:view, and the error for invalid arguments names them", async () => {
    await assert.rejects(list({}, bob), rejectsWith("PERMISSION_DENIED", /trace:view/));
    await assert.rejects(list({ first: 0 }, anonymousCaller), rejectsWith("AUTHENTICATION_REQUIRED", /trace:view/));
    const wrong = [
      ["first", 0],
      ["first", 101],
      ["minStatus", 99],
      ["minStatus", 600],
      ["slowerThanMs", -1],
      ["appName", "a\u0000"],
      ["caller", "\u0000"],
      ["method", "\u0000"],
      ["after", "yesterday"],
      ["after", Buffer.from("request:1.x").toString("base64url")],
    ] as const;
    for (const [field, value] of wrong)
      await assert.rejects(list({ [field]: value }), rejectsWith("INVALID_REQUEST", new RegExp(field)));
  });

  test("pages add what took time to their traces, and are in no list of requests", async () => {
    const traceId = "b".repeat(32);
    const mark = { name: "load", at: ago(2_000).toISOString(), durationMs: 300 };
    const record = (changed: object, caller: Caller = alice) =>
      resolvers.Mutation.recordPage(undefined, { appName: notes, traceId, marks: [mark], ...changed }, callBy(caller));
    assert.equal(record({}), 1);
    assert.deepEqual(
      added.map(({ at, method, pattern, app, caller }) => ({ at, method, pattern, app, caller })),
      [{ at: ago(2_000), method: "PAGE", pattern: "load", app: notes, caller: "user:alice" }],
    );
    await history.append([request("of-server", ago(1_000)), ...added]);
    assert.deepEqual(await idsOf({}), ["of-server"]);
    assert.equal((await history.ofTraces([traceId], 10)).length, 1);
    const refusals: readonly (readonly [object, RegExp])[] = [
      [{ appName: "no name" }, /appName/],
      [{ traceId: "b" }, /traceId/],
      [{ marks: Array.from({ length: 51 }, () => mark) }, /at most 50/],
      [{ marks: [{ ...mark, name: "" }] }, /marks\.0\.name/],
      [{ marks: [{ ...mark, durationMs: -1 }] }, /durationMs/],
      [{ marks: [{ ...mark, at: ago(700_000).toISOString() }] }, /10 minutes/],
    ];
    for (const [changed, reason] of refusals)
      assert.throws(() => record(changed), rejectsWith("INVALID_REQUEST", reason), JSON.stringify(changed));
    assert.throws(() => record({}, anonymousCaller), rejectsWith("AUTHENTICATION_REQUIRED", /session/));
    assert.equal(added.length, 1);
  });
});
