import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { takeFileLock } from "@appserver/kernel/files";
import { eventually, testPool } from "@appserver/testing/kit";
import type { PostgresConnection } from "../postgres-connection.ts";
import { PostgresDatabase } from "../postgres-database.ts";
import { EmbeddedPostgres } from "./embedded-postgres.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { findBinaries, linkLibraries } from "./postgres-binaries.ts";

const clock = new SystemClock();
const isRoot = process.getuid?.() === 0;
/** Returns the first account that is neither root nor `nobody`; initdb requires one that exists in the system. */
async function ordinaryUser(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const [, , uid, gid] = accounts.find((fields) => Number(fields[2]) > 0 && Number(fields[2]) < 65_000) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

describe("embedded PostgreSQL", () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "appserver-embedded-"));
    await chmod(root, 0o755);
  });
  after(() => rm(root, { recursive: true, force: true }));

  const server = (folder: string, port?: number): EmbeddedPostgres =>
    new EmbeddedPostgres({ folder, logger: silentLogger, clock, ...(port === undefined ? {} : { port }) });

  test("keeps its data, password and port over a restart, with secrets readable only by the owner", async () => {
    const folder = join(root, "restart");
    const first = server(folder);
    await first.start();
    const { connection } = first;
    await withDatabase(connection, (database) => database.query("create table kept as select 42 as answer"));
    await first.stop();
    assert.equal((await stat(join(folder, "password"))).mode & 0o777, 0o600);

    const second = server(folder);
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
    const folder = join(root, "port");
    const first = server(folder);
    await first.start();
    const { port } = first.connection;
    await first.stop();
    const stranger = createServer().listen(port, "127.0.0.1");
    await once(stranger, "listening");
    try {
      const second = server(folder);
      await second.start();
      assert.notEqual(second.connection.port, port);
      await second.stop();
      await assert.rejects(server(folder, port).start(), refusal(`Port ${port} for the embedded database is in use`));
    } finally {
      stranger.close();
    }
  });

  test("is restarted on the same port when it dies", async () => {
    const folder = join(root, "supervised");
    const supervised = server(folder);
    await supervised.start();
    try {
      await withDatabase(supervised.connection, (database) => database.query("create table kept as select 1 as answer"));
      process.kill(await serverPid(folder), "SIGKILL");
      assert.deepEqual(await eventually(() => answers(supervised.connection)), [{ answer: 1 }]);
    } finally {
      await supervised.stop();
    }
  });

  test("another process with the same folder is refused, or joins the running server and leaves it running", async () => {
    const folder = join(root, "joined");
    const owner = server(folder);
    await owner.start();
    try {
      await assert.rejects(server(folder).start(), refusal("is in use by another process"));
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
    const folder = join(root, "race");
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
      const folder = join(root, `lock ${what}`);
      await mkdir(folder);
      await writeFile(join(folder, "lock"), content);
      const startedAt = clock.monotonic();
      const first = server(folder);
      await first.start();
      await first.stop();
      assert.ok(clock.monotonic() - startedAt < 60_000);
    });
  }

  test("an empty postmaster.pid without a server is removed", async () => {
    const folder = join(root, "empty-pid");
    const first = server(folder);
    await first.start();
    await first.stop();
    await writeFile(join(folder, "data", "postmaster.pid"), "");
    await first.start();
    await first.stop();
  });

  test("is stopped while it waits for another process's start, and while its server starts", async () => {
    const folder = join(root, "stopped-early");
    const once = server(folder);
    await once.start();
    await once.stop();
    const lock = takeFileLock(join(folder, "lock"));
    assert.ok("release" in lock);
    for (const waiting of ["lock", "server"]) {
      if (waiting === "server") lock.release();
      const early = server(folder);
      const starting = assert.rejects(early.start(), refusal("stopped while it was starting"));
      await clock.sleep(waiting === "server" ? 30 : 200);
      await early.stop();
      await starting;
    }
  });

  for (const who of isRoot ? ["root", "an ordinary user"] : ["this user"]) {
    test(`as ${who}: after kill -9 of its process the server ends, and the next start has the data`, async () => {
      const account = who === "an ordinary user" ? await ordinaryUser() : undefined;
      const folder = join(root, `killed as ${who}`);
      if (account) {
        await mkdir(folder);
        await chown(folder, account.uid, account.gid);
      }
      const first = spawnOwner(folder, account);
      const connection = await connectionOf(first);
      await withDatabase(connection, (database) => database.query("create table kept as select 7 as answer"));
      const orphan = await serverPid(folder);
      first.kill("SIGKILL");
      const second = spawnOwner(folder, account);
      try {
        assert.deepEqual(await answers(await connectionOf(second)), [{ answer: 7 }]);
        assert.notEqual(await serverPid(folder), orphan);
      } finally {
        await terminate(second);
      }
    });
  }

  test("replaces a server that an earlier process left running", async () => {
    const folder = join(root, "left-behind");
    const first = server(folder);
    await first.start();
    await withDatabase(first.connection, (database) => database.query("create table kept as select 5 as answer"));
    await first.stop();
    const orphan = await startOrphan(folder, first.connection.port);
    const second = server(folder);
    await second.start();
    try {
      assert.notEqual(await serverPid(folder), orphan);
      assert.deepEqual(await answers(second.connection), [{ answer: 5 }]);
    } finally {
      await second.stop();
    }
  });

  test("killed together with its starter during a statement: the next start waits until the statement's process has ended", async () => {
    const folder = join(root, "busy");
    const first = server(folder);
    await first.start();
    const backend = await busyBackend(first.connection);
    process.kill(await serverPid(folder), "SIGKILL");
    await first.stop();
    const second = server(folder);
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
    const folder = join(root, "stale-pid");
    const first = server(folder);
    await first.start();
    const pidFile = join(folder, "data", "postmaster.pid");
    const content = await readFile(pidFile, "utf8");
    await first.stop();
    await writeFile(pidFile, content.replace(/^\d+/, String(process.pid)), { mode: 0o600 });
    await first.start();
    await first.stop();
  });

  test("a lost password file is replaced without losing data", async () => {
    const folder = join(root, "password");
    const first = server(folder);
    await first.start();
    await withDatabase(first.connection, (database) => database.query("create table kept as select 3 as answer"));
    await first.stop();
    await unlink(join(folder, "password"));
    const second = server(folder);
    await second.start();
    assert.deepEqual(await answers(second.connection), [{ answer: 3 }]);
    await second.stop();
  });

  describe("reports an unusable data folder in one sentence, and changes nothing", () => {
    let sound: string;
    before(async () => {
      sound = join(root, "sound");
      const once = server(sound);
      await once.start();
      await once.stop();
    });

    const damages: readonly { what: string; damage: (data: string) => Promise<void>; message: string }[] = [
      { what: "no PG_VERSION", damage: (data) => unlink(join(data, "PG_VERSION")), message: "PG_VERSION is missing" },
      {
        what: "another major version",
        damage: (data) => writeFile(join(data, "PG_VERSION"), "14\n"),
        message: "was made by PostgreSQL 14, this is PostgreSQL 18",
      },
      {
        what: "a server that refuses",
        damage: (data) => writeFile(join(data, "global", "pg_control"), Buffer.alloc(8192)),
        message: "refuses to start",
      },
    ];
    for (const { what, damage, message } of damages) {
      test(what, async () => {
        const folder = join(root, `damaged ${what}`);
        await cp(sound, folder, { recursive: true });
        await damage(join(folder, "data"));
        const before = await readdir(join(folder, "data"), { recursive: true });
        const broken = server(folder);
        await assert.rejects(broken.start(), refusal(message, join(folder, "data"), "restore it from a backup"));
        await broken.stop();
        assert.deepEqual(await readdir(join(folder, "data"), { recursive: true }), before);
      });
    }

    test("not a folder", async () => {
      const file = join(root, "file");
      await writeFile(file, "");
      await assert.rejects(server(file).start(), refusal(`The data folder ${file} cannot be used`));
    });
  });

  test("root: a folder that the server's account cannot access has its data elsewhere, and finds it later", {
    skip: isRoot ? false : "needs root",
  }, async () => {
    const home = join(root, "private-home");
    await mkdir(home, { mode: 0o700 });
    const folder = join(home, "postgres");
    const first = server(folder);
    await first.start();
    await withDatabase(first.connection, (database) => database.query("create table kept as select 9 as answer"));
    await first.stop();
    const elsewhere = (await readFile(join(folder, "location"), "utf8")).trim();
    try {
      assert.match(elsewhere, /^\/var\/lib\/appserver\/[0-9a-f]{16}$/);
      // Accessible from now on: the data must still be found.
      await chmod(home, 0o755);
      const second = server(folder);
      await second.start();
      assert.deepEqual(await answers(second.connection), [{ answer: 9 }]);
      await second.stop();
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  test("root: a new folder under the name of a deleted one does not find the old one's data", {
    skip: isRoot ? false : "needs root",
  }, async () => {
    const home = join(root, "recreated-home");
    await mkdir(home, { mode: 0o700 });
    const folder = join(home, "postgres");
    const locations: string[] = [];
    try {
      for (const round of ["first", "second"]) {
        const current = server(folder);
        await current.start();
        locations.push((await readFile(join(folder, "location"), "utf8")).trim());
        await withDatabase(current.connection, (database) => database.query(`create table anew as select '${round}' as round`));
        await current.stop();
        await rm(folder, { recursive: true });
      }
      assert.notEqual(locations[0], locations[1]);
    } finally {
      for (const location of locations) await rm(location, { recursive: true, force: true });
    }
  });

  test("missing library links are created", async () => {
    const { folder } = await findBinaries();
    const copy = join(root, "native");
    await mkdir(join(copy, "lib"), { recursive: true });
    await cp(join(folder, "pg-symlinks.json"), join(copy, "pg-symlinks.json"));
    await Promise.all([linkLibraries(copy), linkLibraries(copy)]);
    const links = await readdir(join(copy, "lib"));
    assert.ok(links.length > 0);
    for (const name of links) await stat(join(folder, "lib", name));
    assert.ok(
      links.some((name) => /^libpq\.(so\.5|5\.dylib)$/.test(name)),
      links.join(),
    );
  });

  /** Starts another process that owns a server until it is told to stop. */
  function spawnOwner(folder: string, account?: { uid: number; gid: number }): ChildProcess {
    const script = join(import.meta.dirname, "..", "..", "test", "own-server.ts");
    return spawn(process.execPath, [script, folder], { stdio: ["pipe", "pipe", "inherit"], ...account });
  }
});

async function connectionOf(child: ChildProcess): Promise<PostgresConnection> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error("the process ended without a connection");
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.stdin?.end();
  await exit;
}

async function withDatabase<T>(connection: PostgresConnection, use: (database: PostgresDatabase) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock });
  try {
    return await use(database);
  } finally {
    await database.stop();
  }
}

async function answers(connection: PostgresConnection): Promise<readonly unknown[]> {
  return withDatabase(connection, async (database) => (await database.query("select answer from kept")).rows);
}

async function serverPid(folder: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder, "data", "postmaster.pid"), "utf8"), 10);
}

/** Starts a server that no process started or watches: the state after everything except the server was killed. */
async function startOrphan(folder: string, port: number): Promise<number> {
  const data = join(folder, "data");
  const { uid, gid } = await stat(data);
  const binary = join((await findBinaries()).folder, "bin", "postgres");
  const args = ["-D", data, "-p", String(port), "-c", "unix_socket_directories="];
  const shell = spawn("/bin/sh", ["-c", '"$@" &', "sh", binary, ...args], { ...(isRoot ? { uid, gid } : {}), stdio: "ignore" });
  await once(shell, "exit");
  await eventually(async () => assert.match(await readFile(join(data, "postmaster.pid"), "utf8"), /ready/));
  return serverPid(folder);
}

/** Returns the process of a connection that computes, without reading signals, for at least a minute. */
async function busyBackend(connection: PostgresConnection): Promise<number> {
  const options = {
    ...testPool,
    connection,
    clock,
    logger: silentLogger,
    poolSize: 1,
    idleConnections: 0,
    statementTimeoutMs: 60_000,
  };
  const database = new PostgresDatabase(options);
  const { rows } = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  const busy = database.query("select count(*) from generate_series(1, 10000000000)");
  void busy.catch(() => {}).then(() => database.stop());
  const [first] = rows;
  assert.ok(first);
  await eventually(() =>
    withDatabase(connection, async (other) => {
      const { count } = await other.query("select from pg_stat_activity where pid = $1 and state = 'active'", [first.pid]);
      assert.equal(count, 1);
    }),
  );
  return first.pid;
}

function refusal(...parts: string[]): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof EmbeddedPostgresError, `${error}`);
    for (const part of parts) assert.ok(error.message.includes(part), `"${error.message}" lacks "${part}"`);
    assert.ok(!error.message.includes("\n"));
    return true;
  };
}
