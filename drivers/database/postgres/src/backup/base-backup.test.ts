import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Database } from "@appserver/kernel/ports";
import { embeddedFolders, embeddedServer, withDatabase } from "../../test/embedded-fixture.ts";
import { baseBackup } from "./base-backup.ts";
import { clusterFacts } from "./cluster-facts.ts";
import { embeddedFacts, restoreEmbedded } from "./restore-cluster.ts";

const folders = embeddedFolders();

const numbersOf = async (database: Database): Promise<readonly number[]> =>
  (await database.query<{ number: number }>("select number from written order by number")).rows.map(({ number }) => number);

test("a copy of a server that is written to starts by itself, with all that was committed before the copy began", async () => {
  const server = embeddedServer(folders.folder("source"));
  await server.start();
  const { connection } = server;
  let password = "";
  try {
    await withDatabase(connection, async (database) => {
      await database.query("create table written (number int primary key, filler text)");
      let last = 0;
      const write = async (): Promise<void> => {
        last += 1;
        await database.query("insert into written values ($1, repeat('x', 2000))", [last]);
      };
      for (let index = 0; index < 20; index++) await write();
      const before = last;
      let copying = true;
      const writes = (async () => {
        while (copying) await write();
      })();
      password = await readFile(join(folders.folder("source"), "password"), "utf8");
      try {
        await restoreEmbedded(folders.folder("copy"), baseBackup(connection), password);
      } finally {
        copying = false;
        await writes;
      }
      const copy = embeddedServer(folders.folder("copy"));
      await copy.start();
      try {
        const found = await withDatabase(copy.connection, numbersOf);
        assert.ok(found.length >= before && found.length <= last, `${before} ≤ ${found.length} ≤ ${last}`);
        assert.deepEqual(
          found,
          Array.from(found, (_, index) => index + 1),
          "no write without the earlier ones",
        );
      } finally {
        await copy.stop();
      }
      const { rows } = await database.query("select slot_name from pg_replication_slots");
      assert.deepEqual(rows, [], "nothing keeps the write-ahead log of the source");
    });
    assert.deepEqual(await clusterFacts(connection), await embeddedFacts());
  } finally {
    await server.stop();
  }
  assert.ok(!(await readdir(folders.folder("copy"))).includes("data.unfinished"));
});

test("a copy that the caller leaves ends, and the server stays usable", async () => {
  const server = embeddedServer(folders.folder("left"));
  await server.start();
  try {
    for await (const chunk of baseBackup(server.connection)) {
      assert.ok(chunk.length > 0);
      break;
    }
    await withDatabase(server.connection, (database) => database.ping());
    await assert.rejects(baseBackup({ ...server.connection, password: "wrong" }).next(), { name: "DatabaseError" });
  } finally {
    await server.stop();
  }
});
