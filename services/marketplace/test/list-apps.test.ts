import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { SqlOutbox, SystemClock } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { callBy, rejectsWith, SqlAuditLog } from "@appserver/testing/kit";
import { SqlAppStore } from "../src/adapters/sql-app-store.ts";
import { cursorOf, listApps } from "../src/use-cases/read-apps.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

describe("lists of apps", async () => {
  const home = await startMarketplace();
  const { context, database, register } = home;
  after(home.stop);

  test("a page is one statement once its apps are known, and the total is another one, only when it is asked for", async () => {
    for (const name of ["com.example.a", "com.example.b", "com.example.c"]) await register(name);
    const statements: string[] = [];
    const query: Database["query"] = (text, values) => {
      statements.push(text);
      return database.query(text, values);
    };
    const nothing = async () => {};
    const store = new SqlAppStore({
      // A list only queries.
      database: { query } as unknown as Database,
      outbox: new SqlOutbox(),
      audit: new SqlAuditLog({ database, clock: new SystemClock() }),
      source: "/appserver/test",
      participants: [],
      memory: { manifestOf: () => undefined, stored: nothing, removed: nothing },
    });
    const system = callBy({ kind: "system", reason: "test" });
    const page = await listApps({ ...context, store }, { filter: { search: "example" }, first: 2 }, system);
    assert.deepEqual([page.items.map(({ name }) => name), page.hasNext], [["com.example.a", "com.example.b"], true]);
    assert.equal(statements.length, 2, "the keys, and the rows that were not known");
    const again = await listApps({ ...context, store }, { filter: { search: "example" }, first: 2 }, system);
    assert.deepEqual([again.items, statements.length], [page.items, 3], "the keys");
    assert.deepEqual([await page.totalCount(), statements.length], [3, 4]);
    await database.query("update marketplace.apps set display_name = 'Changed' where name = $1", ["com.example.b"]);
    const changed = await listApps({ ...context, store }, { filter: { search: "example" }, first: 2 }, system);
    assert.deepEqual([changed.items[1]?.displayName, statements.length], ["Changed", 6]);
    const pages = async (order: "STATE" | "UPDATED", descending: boolean) => {
      const names: string[] = [];
      let after: string | undefined;
      do {
        const list = await listApps(context, { filter: {}, order, descending, first: 1, after }, system);
        names.push(...list.items.map(({ name }) => name.slice(-1)));
        const last = list.items.at(-1);
        after = list.hasNext && last ? cursorOf(last, order) : undefined;
      } while (after !== undefined);
      return names.join("");
    };
    await database.query("update marketplace.apps set state = 'FAILED' where name = $1", ["com.example.b"]);
    await database.query(
      "update marketplace.apps set updated_at = case name when 'com.example.c' then timestamptz '2020-01-01T00:00:00.123456Z' else '2021-01-01' end",
    );
    assert.deepEqual([await pages("STATE", false), await pages("STATE", true)], ["bac", "cab"]);
    assert.deepEqual([await pages("UPDATED", false), await pages("UPDATED", true)], ["cab", "bac"]);
    await assert.rejects(
      listApps(context, { filter: {}, order: "UPDATED", after: cursorOf(page.items[0] ?? assert.fail()) }, system),
      rejectsWith("INVALID_REQUEST", /after/),
    );
    const none = await listApps({ ...context, store }, { filter: { search: "nothing" } }, system);
    assert.deepEqual([none.items, none.hasNext, statements.length], [[], false, 7]);
  });
});
