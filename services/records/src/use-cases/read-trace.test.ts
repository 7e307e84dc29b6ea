import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Caller, type Permissions, type ReadPart, requirePermission } from "@appserver/kernel";
import type { StoredRequest } from "@appserver/kernel/ports";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { maxTraced, readTrace } from "./read-trace.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const [first, second] = ["a".repeat(32), "b".repeat(32)];

function request(requestId: string, traceId: string): StoredRequest {
  const more = { pattern: "/x", app: "a", caller: "user:alice", durationMs: 1, upstreamMs: undefined, reasonId: undefined };
  return { requestId, traceId, at: new Date(0), method: "GET", status: 200, ...more };
}

/** Runs of traces, for holders of `activity:view`. */
function scene(stored: readonly StoredRequest[], runs: Readonly<Record<string, number>>, held: readonly string[]) {
  const permissions: Permissions = { allowed: (_, permission) => held.includes(permission) };
  const readRuns: ReadPart<string> = async (traceIds, limit, call) => {
    await requirePermission(permissions, call, "activity:view");
    return traceIds.flatMap((id) => Array.from({ length: runs[id] ?? 0 }, () => id)).slice(0, limit);
  };
  const requests = {
    tracesOf: async (id: string) => stored.filter(({ requestId }) => requestId === id).map(({ traceId }) => traceId),
    ofTraces: async (traceIds: readonly string[]) => stored.filter(({ traceId }) => traceIds.includes(traceId)),
  };
  return (id: string) => readTrace({ requests, permissions, parts: { runs: readRuns } }, id, callBy(alice));
}

describe("a trace", () => {
  const all = ["trace:view", "activity:view"];

  test("is found by request id, trace id in any case, and traceparent", async () => {
    const read = scene([request("r1", first), request("r2", first)], { [first]: 1 }, all);
    const expected = { traceIds: [first], parts: { runs: [first] }, hidden: [], truncated: false };
    for (const id of ["r1", first, first.toUpperCase(), `00-${first}-${"1".repeat(16)}-01`]) {
      const found = await read(id);
      assert.partialDeepStrictEqual(found, { id, ...expected });
      assert.deepEqual(found?.requestIds, ["r1", "r2"]);
    }
    assert.equal(await read("r3"), undefined);
    assert.equal(await read(second), undefined);
  });

  test("has the traces of every request that carried the id", async () => {
    const found = await scene([request("r1", first), request("r1", second)], { [second]: 2 }, all)("r1");
    assert.deepEqual([found?.traceIds, found?.requests.length, found?.parts.runs.length], [[first, second], 2, 2]);
  });

  test("names the parts that the caller may not see, and is unknown if it has nothing else", async () => {
    const read = scene([request("r1", first)], { [first]: 1, [second]: 1 }, ["trace:view"]);
    assert.partialDeepStrictEqual(await read("r1"), { parts: { runs: [] }, hidden: ["runs"] });
    assert.equal(await read(second), undefined);
  });

  test("says that a part has more than its list", async () => {
    const found = await scene([], { [first]: maxTraced + 5 }, all)(first);
    assert.deepEqual([found?.parts.runs.length, found?.truncated], [maxTraced, true]);
  });

  test("needs trace:view, and refuses what is no id", async () => {
    await assert.rejects(scene([], {}, [])("r1"), rejectsWith("PERMISSION_DENIED", /trace:view/));
    for (const id of ["", "a b", "x".repeat(65), "a/b"])
      await assert.rejects(scene([], {}, all)(id), rejectsWith("INVALID_REQUEST", /id/));
  });
});
