import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, onDatabase } from "@appserver/testing/kit";
import { appserver, quietPort, runAppserver } from "@appserver/testing/kit/production";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { type PrivatePostgres, startPrivatePostgres } from "../../../tools/services/postgres.ts";
import { testedVersions } from "../../../tools/services/versions.ts";

const home = await mkdtemp(join(tmpdir(), "appserver-external-"));
await chmod(home, 0o755);
const started = await startPrivatePostgres(join(home, "postgres"));
const skip = "unavailable" in started ? started.unavailable : false;
const appId = "019f0000-0000-7000-8000-00000000000a";
const nobody = { uid: 65_534, gid: 65_534 };

/** docs/guides/one-machine.md#servers-of-the-operator */
describe("a backup of servers of the operator", { skip }, () => {
  const server = started as PrivatePostgres;
  const [file, identityFile] = [join(home, "platform.age"), join(home, "identity")];
  let environment: Readonly<Record<string, string>>;
  let recipient: string;
  let restored: ChildProcess | undefined;
  before(async () => {
    const { host, port, user, password, database } = server.connection;
    environment = {
      APPSERVER_DB_HOST: host,
      APPSERVER_DB_PORT: String(port),
      APPSERVER_DB_USER: user,
      APPSERVER_DB_PASSWORD: password,
      APPSERVER_DB_NAME: database,
      APPSERVER_SETTINGS_ENCRYPTION_KEYS: `k1:${"ab".repeat(32)}`,
      APPSERVER_CONTAINERS_DRIVER: "process",
      APPSERVER_PROCESSES_FOLDER: join(home, "processes"),
      APPSERVER_REGISTRY_ADDRESS: "127.0.0.1:9",
    };
    const identity = await generateIdentity();
    recipient = await identityToRecipient(identity);
    await writeFile(identityFile, `# an identity of the tests\n${identity}\n`);
    const drivers = {
      APPSERVER_AUTHORIZATION_DRIVER: "embedded",
      APPSERVER_BROKER_DRIVER: "postgres",
      APPSERVER_CACHE_DRIVER: "memory",
      APPSERVER_IDENTITY_DRIVER: "accounts",
      APPSERVER_PUBLIC_URL: "http://127.0.0.1:9",
    };
    await appserver(["migrate"], { ...environment, ...drivers });
    const storage = join(home, "processes", "storage", "appserver", appId, "data");
    await mkdir(storage, { recursive: true });
    await writeFile(join(storage, "note"), "kept");
  });
  after(async () => {
    const ended = restored && restored.exitCode === null ? once(restored, "exit") : undefined;
    restored?.kill("SIGQUIT");
    await ended;
    if (!skip) await server.remove();
    await rm(home, { recursive: true, force: true });
  });

  test("has the files of the server, from which another one starts, and the storage of apps", async () => {
    const printed = await appserver(["backup", "--to", file, "--recipient", recipient], environment);
    assert.match(printed, new RegExp(`server platform +PostgreSQL ${testedVersions.postgres}, .*, external\n`));
    const target = join(home, "restored");
    const processes = { APPSERVER_PROCESSES_FOLDER: join(home, "other-processes") };
    await appserver(["restore", file, "--data", target, "--identity-file", identityFile], processes);
    const note = join(home, "other-processes", "storage", "appserver", appId, "data", "note");
    assert.equal(await readFile(note, "utf8"), "kept");
    const options = JSON.parse(await readFile(join(target, "operator.json"), "utf8")) as Readonly<Record<string, string>>;
    assert.equal(options["APPSERVER_SETTINGS_ENCRYPTION_KEYS"], environment["APPSERVER_SETTINGS_ENCRYPTION_KEYS"]);

    // As the operator moves it to the place of the server's data.
    const data = join(home, "data");
    await rename(join(target, "servers", "platform"), data);
    const port = await quietPort();
    const program = `/usr/lib/postgresql/${testedVersions.postgres}/bin/postgres`;
    const settings = ["-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1"];
    restored = spawn(program, ["-D", data, "-p", String(port), ...settings], { ...nobody, stdio: "ignore", cwd: "/" });
    const migrations = () =>
      onDatabase({ ...server.connection, port }, async (sql) => {
        const { rows } = await sql.query<{ count: number }>("select count(*)::int as count from platform.migrations");
        return rows[0]?.count ?? 0;
      }).catch(() => 0);
    await eventually(migrations, (count) => count > 5);
  });

  test("a folder of another kind, and a missing place, are refused with one sentence", async () => {
    const refused = await runAppserver(["backup", "--recipient", recipient], environment);
    assert.deepEqual([refused.code, refused.stderr.includes("--to is missing")], [2, true]);
    const unsafe = await runAppserver(["backup", "--to", file], environment);
    assert.match(unsafe.stderr, /a backup is encrypted: expected --passphrase-file <file> or --recipient age1…/);
  });
});
