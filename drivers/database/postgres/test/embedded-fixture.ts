import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { eventually, testPool } from "@appserver/testing/kit";
import { EmbeddedPostgres } from "../src/embedded/embedded-postgres.ts";
import { EmbeddedPostgresError } from "../src/embedded/embedded-postgres-error.ts";
import { place } from "../src/embedded/placement.ts";
import type { PostgresConnection } from "../src/postgres-connection.ts";
import { PostgresDatabase } from "../src/postgres-database.ts";
import type { ReachableProgram } from "./reachable-program.ts";

export const clock = new SystemClock();
export const isRoot = process.getuid?.() === 0;

/** A folder for the data folders of the surrounding suite, removed after it. */
export function embeddedFolders(): { readonly folder: (name: string) => string } {
  let root = "";
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "appserver-embedded-"));
    await chmod(root, 0o755);
  });
  after(() => rm(root, { recursive: true, force: true }));
  return { folder: (name) => join(root, name) };
}

export function embeddedServer(folder: string, port?: number): EmbeddedPostgres {
  return new EmbeddedPostgres({ folder, logger: silentLogger, clock, ...(port === undefined ? {} : { port }) });
}

export const ownServer = join(import.meta.dirname, "own-server.ts");

/** Starts another process that owns a server until it receives a request to stop. */
export function spawnOwner(
  folder: string,
  account?: { uid: number; gid: number },
  { node, script }: ReachableProgram = { node: process.execPath, script: ownServer },
): ChildProcess {
  return spawn(node, [script, folder], { stdio: ["pipe", "pipe", "inherit"], cwd: "/", ...account });
}

/** Returns the first account that is neither root nor `nobody`; initdb requires one that exists in the system. */
export async function ordinaryUser(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const [, , uid, gid] = accounts.find((fields) => Number(fields[2]) > 0 && Number(fields[2]) < 65_000) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export async function connectionOf(child: ChildProcess): Promise<PostgresConnection> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error("the process ended without a connection");
}

export async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.stdin?.end();
  await exit;
}

export async function withDatabase<T>(
  connection: PostgresConnection,
  use: (database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  const database = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock });
  try {
    return await use(database);
  } finally {
    await database.stop();
  }
}

export async function answers(connection: PostgresConnection): Promise<readonly unknown[]> {
  return withDatabase(connection, async (database) => (await database.query("select answer from kept")).rows);
}

export async function serverPid(folder: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder, "data", "postmaster.pid"), "utf8"), 10);
}

/** Starts a server that no process started or watches: the state after everything except the server was killed. */
export async function startOrphan(folder: string, port: number): Promise<number> {
  const data = join(folder, "data");
  const { uid, gid } = await stat(data);
  const binary = join((await place(folder)).binaries, "bin", "postgres");
  const args = ["-D", data, "-p", String(port), "-c", "unix_socket_directories="];
  const account = isRoot ? { uid, gid } : {};
  const shell = spawn("/bin/sh", ["-c", '"$@" &', "sh", binary, ...args], { ...account, cwd: "/", stdio: "ignore" });
  await once(shell, "exit");
  await eventually(async () => assert.match(await readFile(join(data, "postmaster.pid"), "utf8"), /ready/));
  return serverPid(folder);
}

/** Returns the process of a connection that computes, without reading signals, for at least a minute. */
export async function busyBackend(connection: PostgresConnection): Promise<number> {
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

export function refusal(...parts: string[]): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof EmbeddedPostgresError, `${error}`);
    for (const part of parts) assert.ok(error.message.includes(part), `"${error.message}" lacks "${part}"`);
    assert.ok(!error.message.includes("\n"));
    return true;
  };
}
