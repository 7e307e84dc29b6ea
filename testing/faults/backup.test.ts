import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { createPlatformClient } from "@appserver/sdk";
import { embeddedConnection, eventually, onDatabase, untilStatus } from "@appserver/testing/kit";
import { runAppserver } from "@appserver/testing/kit/production";
import { AppserverProcess } from "../kit/appserver-process.ts";
import { BackupLoad, rateOf, requireAcknowledged } from "./backup-load.ts";
import { countingApp, deployCountingApp } from "./counting-app.ts";
import { SmallDisk, skipWithoutDisk } from "./full-disk.ts";
import { UpPlatform } from "./up-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const app = countingApp;
const secret = "a-secret-of-the-app";
/** A busy machine takes long to read and encrypt everything. */
const commandTimeoutMs = 300_000;
/** Acknowledged writes a second during the backup. */
const wantedRate = 500;

suite("backup and restore of appserver up", { skip }, () => {
  let platform: UpPlatform;
  let appId = "";
  let token = "";
  let folder = "";
  let key = "";
  let backup = "";
  const others: UpPlatform[] = [];
  before(async () => {
    platform = await UpPlatform.create();
    folder = dirname(platform.dataDir);
    [key, backup] = [join(folder, "passphrase"), join(folder, "backups", "platform.age")];
    await writeFile(key, "correct horse battery staple\n");
    await platform.start();
    token = await platform.becomeAdministrator();
    await deployCountingApp(platform.httpUrl, token);
    const client = createPlatformClient({ grpcUrl: platform.httpUrl, token });
    const stateOf = () => platform.ask<{ app: { id: string; state: string } }>(token, `{ app(name: "${app}") { id state } }`);
    ({
      app: { id: appId },
    } = await eventually(stateOf, (found) => found.app.state === "RUNNING"));
    await client.settings.updateSettings({ appId, values: { token: secret } });
  });
  after(async () => {
    for (const each of [platform, ...others]) await each?.remove();
  });

  const run = (...args: readonly string[]) => runAppserver([...args, "--passphrase-file", key], {}, commandTimeoutMs);
  const makeBackup = (to = backup) => run("backup", "--data", platform.dataDir, "--to", to);

  async function another(): Promise<UpPlatform> {
    const other = await UpPlatform.create();
    others.push(other);
    return other;
  }

  /** What the platform has after a restore. Returns the token of a session. */
  async function requireEverything(restored: UpPlatform): Promise<string> {
    await restored.start();
    const token = await restored.logIn();
    const { text } = await untilStatus(restored.httpUrl, `/api/apps/${app}/`, 200);
    const { database, storage } = JSON.parse(text) as Readonly<Record<"database" | "storage", number>>;
    assert.ok(storage >= 100 && database - storage >= 0 && database - storage <= 1, `of one moment: ${text}`);
    const { settings } = await createPlatformClient({ grpcUrl: restored.httpUrl, token }).settings.getSettings({ appId });
    assert.equal(settings?.values?.["token"], secret);
    return token;
  }

  test("each write that was acknowledged before a backup under load is there after the loss of the machine", async (t) => {
    const load = await BackupLoad.start(platform, token, appId);
    const before = await load.acknowledged();
    const [made] = await Promise.allSettled([makeBackup()]);
    await load.stop();
    if (made.status === "rejected") throw made.reason;
    assert.equal(made.value.code, 0, made.value.stderr);
    assert.doesNotMatch(made.value.stdout, /copied later/);
    const { all, text } = rateOf(before, await load.acknowledged());
    t.diagnostic(`${text}${all >= wantedRate ? "" : `; this machine does not reach ${wantedRate}`}`);
    const other = await another();
    const restored = await run("restore", backup, "--data", other.dataDir);
    assert.equal(restored.code, 0, restored.stderr);
    await requireAcknowledged(other, await requireEverything(other), appId, before);
  });

  test("a stopped platform is copied, too", async () => {
    assert.equal(await platform.process.stop(), 0);
    const to = join(folder, "stopped", "platform.age");
    const made = await makeBackup(to);
    assert.equal(made.code, 0, made.stderr);
    const listed = await run("restore", to, "--dry-run");
    assert.match(
      listed.stdout,
      /apps +org\.example\.counting 1\.0\.0\n.*\nimages +yes\n(.*\n)*The file is whole and undamaged/,
    );
  });

  test("a backup whose secrets cannot be decrypted fails its test, and nothing of a test is left", async () => {
    const test = (file: string) =>
      runAppserver(["restore", file, "--test", "--passphrase-file", key], { TMPDIR: folder }, commandTimeoutMs);
    const tested = await test(backup);
    assert.equal(tested.code, 0, tested.stderr);
    assert.match(tested.stdout, /readable +1 apps, 1 secret settings\n/);
    assert.match(tested.stdout, /database +app_\S+ of apps, [1-9]\d* tables, [1-9]\d* rows\n/);
    assert.match(tested.stdout, /The test is not recorded/);
    // The platform is stopped since the test before this one.
    const keys = platform.file("settings-keys.json");
    const own = await readFile(keys, "utf8");
    await writeFile(
      keys,
      own.replaceAll(/[0-9a-f]{64}|[\w+/]{43}=/g, (found) => [...found].reverse().join("")),
    );
    const useless = join(folder, "useless", "platform.age");
    const made = await makeBackup(useless);
    await writeFile(keys, own);
    assert.equal(made.code, 0, made.stderr);
    const failed = await test(useless);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /The backup cannot be used: \d+ secrets cannot be decrypted/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith("appserver-restore-test-")),
      [],
    );
    await platform.start();
  });

  test("another passphrase, a damaged or a truncated file, and a folder with files are refused, and nothing is changed", async () => {
    const other = await another();
    const refused = async (pattern: RegExp, file = backup, keyFile = key): Promise<void> => {
      const args = ["restore", file, "--data", other.dataDir, "--passphrase-file", keyFile];
      const { code, stderr } = await runAppserver(args, {}, commandTimeoutMs);
      assert.equal(code, 1);
      assert.match(stderr, pattern);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
      assert.ok(!existsSync(other.dataDir) || (await readdir(other.dataDir)).every((name) => name === "foreign"));
    };
    const wrong = join(folder, "wrong");
    await writeFile(wrong, "another passphrase\n");
    await refused(/the passphrase is another one/, backup, wrong);
    const bytes = await readFile(backup);
    const damaged = join(folder, "damaged.age");
    await writeFile(damaged, bytes.subarray(0, bytes.length - 1_000));
    await refused(/damaged or not complete/, damaged);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(damaged, bytes);
    await refused(/damaged or not complete/, damaged);
    await mkdir(other.dataDir);
    await writeFile(other.file("foreign"), "");
    await refused(/is not empty: a restore needs an empty one/);
  });

  test("the schedule makes backups in a process of their own, and keeps the newest ones", async () => {
    const to = join(folder, "scheduled");
    const scheduled = await UpPlatform.create({
      APPSERVER_BACKUP_SCHEDULE: "* * * * *",
      APPSERVER_BACKUP_TO: `${to}/`,
      APPSERVER_BACKUP_PASSPHRASE_FILE: key,
      APPSERVER_BACKUP_KEEP: "1",
    });
    others.push(scheduled);
    await scheduled.start();
    const made = async () => (await readdir(to).catch(() => [])).filter((name) => name.endsWith(".age"));
    const [first] = await eventually(made, (names) => names.length === 1, { timeoutMs: commandTimeoutMs });
    await eventually(made, (names) => names.length === 1 && names[0] !== first, { timeoutMs: commandTimeoutMs });
    const { rows } = await onDatabase(await embeddedConnection(scheduled.dataDir), (sql) =>
      sql.query<{ state: string; location: string }>("select state, location from backups.runs order by id limit 1"),
    );
    assert.deepEqual(rows, [{ state: "COMPLETED", location: join(to, first ?? "") }]);
  });

  test("kill -9 during a backup leaves the one before it, and the next run completes", async () => {
    const before = await readFile(backup);
    const args = ["backup", "--data", platform.dataDir, "--to", backup, "--passphrase-file", key];
    const killed = new AppserverProcess(args, { environment: { PATH: process.env["PATH"] ?? "" } });
    killed.start();
    const draft = `${backup}.part`;
    await eventually(
      async () => (await stat(draft).catch(() => undefined))?.size ?? 0,
      (size) => size > 1_000_000,
      { timeoutMs: commandTimeoutMs },
    );
    await killed.kill();
    assert.deepEqual(await readFile(backup), before);
    assert.equal((await makeBackup()).code, 0);
    assert.deepEqual(await readdir(dirname(backup)), ["platform.age"]);
    assert.notDeepEqual(await readFile(backup), before);
  });

  test("kill -9 during a restore: the platform does not start on it, and the next restore completes", async () => {
    const other = await another();
    const args = ["restore", backup, "--data", other.dataDir, "--passphrase-file", key];
    for (const reached of ["restoring.json", "postgres", "postgres-apps"]) {
      const killed = new AppserverProcess(args, { environment: { PATH: process.env["PATH"] ?? "" }, group: "own" });
      killed.start();
      await killed.until(() => existsSync(other.file(reached)));
      await killed.kill();
      await other.killAll();
      other.process.start();
      await other.process.ended();
      assert.match(other.process.printed, /has a restore that was interrupted: run appserver restore again/);
    }
    const restored = await run("restore", backup, "--data", other.dataDir);
    assert.equal(restored.code, 0, restored.stderr);
    await requireEverything(other);
  });

  test("a full disk during a backup leaves the one before it", { skip: skipWithoutDisk }, async () => {
    const disk = await SmallDisk.mount(16);
    try {
      const kept = join(disk.folder, "platform.age");
      await writeFile(kept, "the one before");
      const { code, stderr } = await makeBackup(kept);
      assert.equal(code, 1);
      assert.match(stderr, /ENOSPC|no space left/);
      assert.equal(await readFile(kept, "utf8"), "the one before");
      assert.deepEqual(await readdir(disk.folder), ["platform.age"]);
    } finally {
      await disk.unmount();
    }
    await rm(join(folder, "damaged.age"), { force: true });
  });
});
