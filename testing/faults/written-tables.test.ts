import assert from "node:assert/strict";
import { test } from "node:test";
import { isBegin, isCommit, writtenTables } from "./written-tables.ts";

test("every statement that writes is recognised with its table", () => {
  const cases: readonly (readonly [text: string, written: readonly string[]])[] = [
    ["select 1 from marketplace.apps where name = 'update x set y' for update skip locked", []],
    [
      "insert into platform.leases as held (name) values ($1) on conflict (name) do update set fence = 1",
      ["insert platform.leases"],
    ],
    [
      "with due as (select 1), claimed as (update broker.messages m set claim = $2 from due returning m.id) select id from claimed",
      ["update broker.messages"],
    ],
    [
      "with dead as (delete from broker.messages returning event) insert into broker.dead_letters select event from dead",
      ["delete broker.messages", "insert broker.dead_letters"],
    ],
    ["-- insert into a\nupdate only b set c = 1", ["update b"]],
    ["create temporary table t on commit drop as select 1", ["create"]],
    ["select pg_notify('a', '')", []],
  ];
  for (const [text, written] of cases) assert.deepEqual(writtenTables(text), written, text);
});

test("the begin and the end of a transaction are recognised", () => {
  assert.deepEqual(["begin isolation level read committed", "BEGIN", "beginning"].map(isBegin), [true, true, false]);
  assert.deepEqual(["commit", "COMMIT;", "rollback", "commit prepared 'a'"].map(isCommit), [true, true, false, false]);
});
