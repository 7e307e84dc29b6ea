import assert from "node:assert/strict";
import { test } from "node:test";
import { logJson, maxFieldLength } from "@appserver/kernel";
import { RequestRecord } from "./request-record.ts";

test("the JSON of a log line has every member that is set, whatever the texts contain", () => {
  const full = {
    requestId: "r-1",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    method: "GET",
    route: 'a"b\\c',
    pattern: "/ü/{x}\n",
    status: 200,
    app: "com.example.notes",
    caller: "user:\u2028é",
    durationMs: 1.5,
    upstreamMs: 0.25,
    reasonId: "client_gone",
  } as const;
  for (const facts of [
    full,
    { ...full, route: undefined, pattern: undefined, app: undefined, upstreamMs: undefined, reasonId: undefined },
  ]) {
    const record = new RequestRecord(facts);
    assert.deepEqual(JSON.parse(`{${record[logJson]()}}`), JSON.parse(JSON.stringify(facts)));
  }
});

test("no text of a record is longer than the longest pattern of a route", () => {
  const long = "x".repeat(100_000);
  const texts = { requestId: "r-1", traceId: "t", method: long, route: long, pattern: long, app: long, caller: long } as const;
  const record = new RequestRecord({ ...texts, status: 200, durationMs: 1, upstreamMs: undefined, reasonId: undefined });
  for (const name of ["method", "route", "pattern", "app", "caller"] as const)
    assert.equal(record[name]?.length, maxFieldLength);
  assert.ok(record[logJson]().length < 6 * maxFieldLength);
});
