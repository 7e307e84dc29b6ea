import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { takeFileLock } from "@appserver/kernel/files";
import { eventually } from "@appserver/testing/kit";
import {
  answers,
  busyBackend,
  clock,
  connectionOf,
  embeddedFolders,
  embeddedServer,
  isRoot,
  ordinaryUser,
  ownServer,
  refusal,
  serverPid,
  spawnOwner,
  startOrphan,
  terminate,
  withDatabase,
} from "../../test/embedded-fixture.ts";
import { reachableProgram } from "../../test/reachable-program.ts";
import { EmbeddedPostgres } from "./embedded-postgres.ts";

describe("embedded PostgreSQL and other processes", () => {
  const folders = embeddedFolders();

  test("another process with the same folder is refused, or joins the running server and leaves it running", async () => {
    const folder = folders.folder("joined");
    const owner = embeddedServer(folder);
    await owner.start();
    try {
      await assert.rejects(embeddedServer(folder).start(), refusal("is in use by another process"));
      const guest = new EmbeddedPostgres({ folder, join: true, logger: silentLogger, clock });
      await guest.start();
      assert.deepEqual(guest.connection, owner.connection);
      await guest.stop();
      await withDatabase(owner.connection, (database) => database.ping());
    } finally {
      await owner.stop();
    }
  });

  test("of two processes that start concurrently on an empty folder one gets the server", async () => {
    const folder = folders.folder("race");
    const children = [spawnOwner(folder), spawnOwner(folder)];
    try {
      const outcomes = await Promise.allSettled(children.map(connectionOf));
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    } finally {
      for (const child of children) await terminate(child);
    }
  });

  for (const { what, content } of [
    { what: "empty", content: "" },
    { what: "half-written", content: '{"pid":1' },
    { what: "of a process whose number went to another", content: `{"pid":${process.pid},"startTime":"1","token":"t"}` },
  ]) {
    test(`a lock file that is ${what} does not prevent the start`, async () => {
      const folder = folders.folder(`lock ${what}`);
      await mkdir(folder);
      await writeFile(join(folder, "lock"), content);
      const startedAt = clock.monotonic();
      const first = embeddedServer(folder);
      await first.start();
      await first.stop();
      assert.ok(clock.monotonic() - startedAt < 60_000);
    });
  }

  test("an empty postmaster.pid without a server is removed", async () => {
    const folder = folders.folder("empty-pid");
    const first = embeddedServer(folder);
    await first.start();
    await first.stop();
    await writeFile(join(folder, "data", "postmaster.pid"), "");
    await first.start();
    await first.stop();
  });

  test("an initdb that a killed process left behind is ended, and does not write into the new folder", async () => {
    const folder = folders.folder("left-initdb");
    const unfinished = join(folder, "data.unfinished");
    await mkdir(join(unfinished, "base", "1"), { recursive: true });
    // Without processes of its own, which would outlive it.
    const script = 'while :; do true > "$2/base/1/$(((i = i + 1) % 1000))"; done';
    const leftover = spawn("/bin/sh", ["-c", script, "initdb", "-D", unfinished], { stdio: "ignore" });
    const ended = once(leftover, "exit");
    try {
      await eventually(() => existsSync(join(unfinished, "base", "1", "1")));
      const server = embeddedServer(folder);
      await server.start();
      await server.stop();
      await ended;
      assert.equal(existsSync(unfinished), false);
    } finally {
      leftover.kill("SIGKILL");
    }
  });

  test("is stopped while it waits for another process's start, and while its server starts", async () => {
    const folder = folders.folder("stopped-early");
    const once = embeddedServer(folder);
    await once.start();
    await once.stop();
    const lock = takeFileLock(join(folder, "lock"));
    assert.ok("release" in lock);
    const waiting = embeddedServer(folder);
    const refused = assert.rejects(waiting.start(), refusal("stopped while it was starting"));
    await clock.sleep(200);
    await waiting.stop();
    await refused;
    lock.release();
    const pidFile = join(folder, "data", "postmaster.pid");
    // The server may be ready before the stop. A stop that comes first must be reported.
    let stoppedFirst = 0;
    for (let attempt = 1; attempt <= 20 && stoppedFirst === 0; attempt++) {
      const early = embeddedServer(folder);
      const started = early.start().catch((error: unknown) => {
        refusal("stopped while it was starting")(error);
        stoppedFirst += 1;
      });
      await eventually(() => existsSync(pidFile), undefined, { intervalMs: 1 });
      await early.stop();
      await started;
      assert.equal(existsSync(pidFile), false);
    }
    assert.equal(stoppedFirst, 1);
  });

  for (const who of isRoot ? ["root", "an ordinary user"] : ["this user"]) {
    test(`as ${who}: after kill -9 of its process the server ends, and the next start has the data`, async () => {
      const account = who === "an ordinary user" ? await ordinaryUser() : undefined;
      const folder = folders.folder(`killed as ${who}`);
      if (account) {
        await mkdir(folder);
        await chown(folder, account.uid, account.gid);
      }
      const program = await reachableProgram(ownServer, account, folders.folder("programs"));
      const first = spawnOwner(folder, account, program);
      const connection = await connectionOf(first);
      await withDatabase(connection, (database) => database.query("create table kept as select 7 as answer"));
      const orphan = await serverPid(folder);
      first.kill("SIGKILL");
      const second = spawnOwner(folder, account, program);
      try {
        assert.deepEqual(await answers(await connectionOf(second)), [{ answer: 7 }]);
        assert.notEqual(await serverPid(folder), orphan);
      } finally {
        await terminate(second);
      }
    });
  }

  test("replaces a server that an earlier process left running", async () => {
    const folder = folders.folder("left-behind");
    const first = embeddedServer(folder);
    await first.start();
    await withDatabase(first.connection, (database) => database.query("create table kept as select 5 as answer"));
    await first.stop();
    const orphan = await startOrphan(folder, first.connection.port);
    const second = embeddedServer(folder);
    await second.start();
    try {
      assert.notEqual(await serverPid(folder), orphan);
      assert.deepEqual(await answers(second.connection), [{ answer: 5 }]);
    } finally {
      await second.stop();
    }
  });

  test("killed together with its starter during a statement: the next start waits until the statement's process has ended", async () => {
    const folder = folders.folder("busy");
    const first = embeddedServer(folder);
    await first.start();
    const backend = await busyBackend(first.connection);
    process.kill(await serverPid(folder), "SIGKILL");
    await first.stop();
    const second = embeddedServer(folder);
    const starting = second.start();
    try {
      const log = join(folder, "postgres.log");
      await eventually(async () => assert.match(await readFile(log, "utf8"), /pre-existing shared memory block/));
      process.kill(backend, "SIGKILL");
      await starting;
      await withDatabase(second.connection, (database) => database.ping());
    } finally {
      await second.stop();
    }
  });

  test("a lock file whose pid now belongs to another program does not prevent the start", async () => {
    const folder = folders.folder("stale-pid");
    const first = embeddedServer(folder);
    await first.start();
    const pidFile = join(folder, "data", "postmaster.pid");
    const content = await readFile(pidFile, "utf8");
    await first.stop();
    await writeFile(pidFile, content.replace(/^\d+/, String(process.pid)), { mode: 0o600 });
    await first.start();
    await first.stop();
  });
});
