import assert from "node:assert/strict";
import { once } from "node:events";
import { stat, unlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { answers, embeddedFolders, embeddedServer, refusal, serverPid, withDatabase } from "../../test/embedded-fixture.ts";

describe("embedded PostgreSQL", () => {
  const folders = embeddedFolders();

  test("keeps its data, password and port over a restart, with secrets readable only by the owner", async () => {
    const folder = folders.folder("restart");
    const first = embeddedServer(folder);
    await first.start();
    const { connection } = first;
    await withDatabase(connection, (database) => database.query("create table kept as select 42 as answer"));
    await first.stop();
    assert.equal((await stat(join(folder, "password"))).mode & 0o777, 0o600);

    const second = embeddedServer(folder);
    await second.start();
    try {
      assert.deepEqual(second.connection, connection);
      assert.equal(connection.host, "127.0.0.1");
      assert.deepEqual(await answers(second.connection), [{ answer: 42 }]);
      await assert.rejects(
        withDatabase({ ...connection, password: "wrong" }, (database) => database.ping()),
        /password authentication failed/,
      );
    } finally {
      await second.stop();
    }
  });

  test("moves to another port if the stored one is taken, and refuses if the port was configured", async () => {
    const folder = folders.folder("port");
    const first = embeddedServer(folder);
    await first.start();
    const { port } = first.connection;
    await first.stop();
    const listener = createServer().listen(port, "127.0.0.1");
    await once(listener, "listening");
    try {
      const second = embeddedServer(folder);
      await second.start();
      assert.notEqual(second.connection.port, port);
      await second.stop();
      await assert.rejects(embeddedServer(folder, port).start(), refusal(`Port ${port} for the embedded database is in use`));
    } finally {
      listener.close();
    }
  });

  test("is restarted on the same port when it dies", async () => {
    const folder = folders.folder("supervised");
    const supervised = embeddedServer(folder);
    await supervised.start();
    try {
      await withDatabase(supervised.connection, (database) => database.query("create table kept as select 1 as answer"));
      process.kill(await serverPid(folder), "SIGKILL");
      assert.deepEqual(await eventually(() => answers(supervised.connection)), [{ answer: 1 }]);
    } finally {
      await supervised.stop();
    }
  });

  test("a lost password file is replaced without losing data", async () => {
    const folder = folders.folder("password");
    const first = embeddedServer(folder);
    await first.start();
    await withDatabase(first.connection, (database) => database.query("create table kept as select 3 as answer"));
    await first.stop();
    await unlink(join(folder, "password"));
    const second = embeddedServer(folder);
    await second.start();
    assert.deepEqual(await answers(second.connection), [{ answer: 3 }]);
    await second.stop();
  });
});
