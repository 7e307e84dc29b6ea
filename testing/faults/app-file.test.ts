import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { embeddedConnection, eventually, onDatabase } from "@appserver/testing/kit";
import { type CommandResult, runAppserver } from "@appserver/testing/kit/production";
import pg from "pg";
import { type PrivatePostgres, startPrivatePostgres } from "../../tools/services/postgres.ts";
import { AppserverProcess } from "../kit/appserver-process.ts";
import { notingApp as app, deployNotingApp, note, noted } from "./noting-app.ts";
import { UpPlatform } from "./up-platform.ts";

const folder = await mkdtemp(join(tmpdir(), "appserver-files-"));
await chmod(folder, 0o755);
// The embedded server brings no pg_dump.
const external = await startPrivatePostgres(folder);
const skip = "unavailable" in external ? external.unavailable : process.platform === "linux" ? false : "needs /proc";

interface SnapshotRow {
  readonly id: string;
  readonly reason: string;
  readonly state: string;
}

suite("the file of one app", { skip }, () => {
  const server = external as PrivatePostgres;
  const [key, file] = [join(folder, "passphrase"), join(folder, "noting.age")];
  const platforms: UpPlatform[] = [];
  let platform: UpPlatform;
  before(async () => {
    await writeFile(key, "correct horse battery staple\n");
    platform = await installed();
    await note(platform.httpUrl, "first");
  });
  after(async () => {
    for (const each of platforms) await each.remove();
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function installed(): Promise<UpPlatform> {
    const { host, port, user, password, database } = server.connection;
    const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const created = await UpPlatform.create({ APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: url });
    platforms.push(created);
    await created.start();
    await deployNotingApp(created.httpUrl, await created.becomeAdministrator());
    return created;
  }

  const argumentsOf = (on: UpPlatform, ...args: readonly string[]) => [
    ...args,
    ...["--app", app, "--data", on.dataDir, "--passphrase-file", key],
  ];
  const run = (on: UpPlatform, ...args: readonly string[]) => runAppserver(argumentsOf(on, ...args), {});
  const succeeded = ({ code, stdout, stderr }: CommandResult): string => {
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const refused = ({ code, stderr }: CommandResult, pattern: RegExp): void => {
    assert.equal(code, 1, stderr);
    assert.match(stderr, pattern);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  };
  const snapshotsOf = async (on: UpPlatform): Promise<readonly SnapshotRow[]> =>
    await onDatabase(await embeddedConnection(on.dataDir), async (sql) => {
      const { rows } = await sql.query<SnapshotRow>("select id, reason, state from orchestration.snapshots order by id");
      return rows;
    });
  const copiesOnServer = async (): Promise<readonly string[]> => {
    const client = new pg.Client({ ...server.connection });
    await client.connect();
    try {
      const { rows } = await client.query<{ readonly name: string }>(
        `select datname as name from pg_database where starts_with(datname, 'copy_')
         union all select rolname from pg_roles where starts_with(rolname, 'copy_')`,
      );
      return rows.map(({ name }) => name);
    } finally {
      await client.end();
    }
  };
  /** Nothing is left of files. Each restore has kept what it has replaced. */
  const untilOnly = async (restores: number): Promise<void> => {
    const look = async () => [await snapshotsOf(platform), (await copiesOnServer()).length] as const;
    await eventually(
      look,
      ([rows, copies]) => rows.length === restores && rows.every(({ reason }) => reason === "restore") && copies === restores,
    );
  };

  test("gives an app the data that it had, and keeps what it has replaced", async () => {
    const made = succeeded(await run(platform, "backup", "--to", file));
    assert.match(made, /app +org\.example\.noting 1\.0\.0, at \S+; it was paused for \d+ ms\n/);
    await untilOnly(0);
    await note(platform.httpUrl, "second");
    assert.match(
      succeeded(await run(platform, "restore", file, "--dry-run")),
      /database +PostgreSQL 15, \d+ bytes\nstorage +data \(2\d+ bytes\)\nThe file is whole and undamaged/,
    );
    assert.deepEqual(await noted(platform.httpUrl), ["second", "second"]);
    const restored = succeeded(await run(platform, "restore", file));
    assert.deepEqual(await noted(platform.httpUrl), ["first", "first"]);
    const [kept] = await snapshotsOf(platform);
    assert.ok(kept && restored.includes(`What it had before is its snapshot ${kept.id}`), restored);
    await untilOnly(1);
    await note(platform.httpUrl, "third");
  });

  test("gives the app of another installation this data", async () => {
    const other = await installed();
    succeeded(await run(other, "restore", file));
    assert.deepEqual(await noted(other.httpUrl), ["first", "first"]);
    await note(other.httpUrl, "written after the restore");
    await other.remove();
  });

  test("is refused if it is damaged, or of no use here, and nothing is changed", async () => {
    const before = [await snapshotsOf(platform), await copiesOnServer()];
    const bytes = await readFile(file);
    const damaged = join(folder, "damaged.age");
    await writeFile(damaged, bytes.subarray(0, bytes.length - 1_000));
    refused(await run(platform, "restore", damaged), /damaged or not complete/);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(damaged, bytes);
    refused(await run(platform, "restore", damaged), /damaged or not complete/);
    const without = argumentsOf(platform, "restore", file).map((each) => (each === app ? "com.example.missing" : each));
    refused(await runAppserver(without, {}), /The app com\.example\.missing is not installed in the installation appserver\./);
    const asPlatform = ["restore", file, "--data", join(folder, "empty"), "--passphrase-file", key];
    refused(await runAppserver(asPlatform, {}), /has the data of one app, and not a platform/);
    assert.ok(!existsSync(join(folder, "empty")));
    assert.deepEqual([await snapshotsOf(platform), await copiesOnServer()], before);
    assert.deepEqual(await noted(platform.httpUrl), ["third", "third"]);
  });

  test("kill -9 while it is imported leaves the app as it was, and the next run removes what is left", async () => {
    const before = await copiesOnServer();
    const begun = async (): Promise<string | undefined> =>
      (await snapshotsOf(platform)).findLast(({ reason }) => reason === "backup")?.id;
    const moments = {
      database: async () => (await copiesOnServer()).length === before.length + 2,
      storage: async () => existsSync(platform.file("processes/storage/appserver", (await begun()) ?? "none")),
    };
    for (const reached of Object.values(moments)) {
      const killed = new AppserverProcess(argumentsOf(platform, "restore", file), {
        environment: { PATH: process.env["PATH"] ?? "" },
      });
      killed.start();
      await killed.until(reached);
      await killed.kill();
      assert.deepEqual(await noted(platform.httpUrl), ["third", "third"]);
      assert.equal((await snapshotsOf(platform)).at(-1)?.state, "FAILED");
    }
    succeeded(await run(platform, "restore", file));
    assert.deepEqual(await noted(platform.httpUrl), ["first", "first"]);
    await eventually(
      async () => [await snapshotsOf(platform), await copiesOnServer()] as const,
      ([rows, copies]) =>
        rows.length === 2 && rows.every(({ reason }) => reason === "restore") && copies.length === before.length + 1,
    );
    const left = await snapshotsOf(platform);
    assert.deepEqual(
      left.map(({ state }) => state),
      ["COMPLETED", "COMPLETED"],
    );
  });

  test("is not made without pg_dump of the server's version, or while the platform is stopped", async () => {
    const alone = await UpPlatform.create();
    platforms.push(alone);
    await alone.start();
    refused(
      await run(alone, "backup", "--to", file),
      /pg_dump and pg_restore of PostgreSQL 18 or newer.*install the Debian package postgresql-client-18\./,
    );
    assert.deepEqual(await snapshotsOf(alone), []);
    assert.equal(await alone.process.stop(), 0);
    refused(await run(alone, "backup", "--to", file), /does not run, and the file of one app needs it: start it\./);
  });
});
