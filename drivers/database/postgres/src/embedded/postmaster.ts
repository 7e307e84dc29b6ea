import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@appserver/kernel";
import { appAccessRules } from "../app-database-names.ts";
import { giveTo } from "./account.ts";
import { lastLine, serverEnvironment, superuser } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { Placement } from "./placement.ts";
import { describeProcess, findByCommand } from "./processes.ts";

/** A running server process that accepts connections. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the process has ended, for any reason. */
  readonly exited: Promise<void>;
}

export class PortTakenError extends EmbeddedPostgresError {}

/** A killed server left processes that still run a last statement and hold its memory until they end. */
export class StillInUseError extends EmbeddedPostgresError {}

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  // The platform is a superuser, apps are not.
  superuser_reserved_connections: "12",
  // For backups, which copy a running server. There is no standby.
  wal_level: "replica",
  max_wal_senders: "4",
  max_replication_slots: "4",
  max_wal_size: "256MB",
  // Fewer helper processes: they have no use here.
  max_logical_replication_workers: "0",
  io_method: "sync",
  jit: "off",
  // LOG, FATAL and PANIC: why the server started, stopped or refused, but not every failed statement.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

const startTimeoutMs = 60_000;
const pollMs = 5;

/** Starts a server and resolves once it accepts connections. Ends it and rejects with the signal's reason on abort. */
export async function startPostmaster(place: Placement, port: number, clock: Clock, signal: AbortSignal): Promise<Postmaster> {
  signal.throwIfAborted();
  await writeAccessRules(place);
  const { child, exited } = await spawnServer(place, port);
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const { pid } = child;
  for (const deadline = clock.monotonic() + startTimeoutMs; pid !== undefined && !ended; await clock.sleep(pollMs)) {
    const file = await readPidFile(place.data);
    if (file?.pid === pid && file.ready) {
      guard(pid, exited);
      return { pid, port, exited };
    }
    if (signal.aborted || clock.monotonic() > deadline) child.kill("SIGQUIT");
  }
  signal.throwIfAborted();
  throw await refusal(place, port);
}

/** `exited` resolves also if the program cannot be run. */
async function spawnServer(place: Placement, port: number): Promise<{ child: ChildProcess; exited: Promise<void> }> {
  const options = Object.entries({ ...settings, hba_file: place.accessFile }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const log = await open(place.logFile, "w");
  try {
    const child = spawn(join(place.binaries, "bin", "postgres"), ["-D", place.data, "-p", String(port), ...options], {
      ...place.account,
      cwd: place.home,
      env: serverEnvironment,
      // Into a file: the server may outlive this process, and a broken pipe would stop its log.
      stdio: ["ignore", log.fd, log.fd],
      // A separate session: Ctrl-C at the terminal must not stop it before the components that use it.
      detached: true,
    });
    // Before anything is awaited: an error without a listener would end the process.
    const exited = new Promise<void>((resolve) => {
      child.once("exit", () => resolve()).once("error", () => resolve());
    });
    return { child, exited };
  } finally {
    await log.close();
  }
}

/** Written at each start: the rules are those of this version. */
async function writeAccessRules({ accessFile, account }: Placement): Promise<void> {
  const local = "127.0.0.1/32 scram-sha-256";
  const rules = [`host all ${superuser} ${local}`, ...appAccessRules, `host all all ${local}`];
  await writeFile(accessFile, `${rules.join("\n")}\n`, { mode: 0o600 });
  await giveTo(account, accessFile);
}

async function refusal(place: Placement, port: number): Promise<EmbeddedPostgresError> {
  const log = await readFile(place.logFile, "utf8").catch(() => "");
  if (/could not bind .*: Address already in use/.test(log)) return new PortTakenError(`Port ${port} is in use.`);
  if (/pre-existing shared memory block/.test(log)) {
    return new StillInUseError(
      `A database server that was killed left processes behind that still use ${place.data} (log: ${place.logFile}): ` +
        "end them (their command starts with `postgres:`) and start again.",
    );
  }
  const reason = log.match(/(?:FATAL|PANIC): .*/g)?.[0]?.replace(/^\w+:\s+/, "") ?? lastLine(log);
  return new EmbeddedPostgresError(
    `PostgreSQL refuses to start on the data folder ${place.data} (${reason}; log: ${place.logFile}): ` +
      "restore it from a backup, or move it away to start with an empty database.",
  );
}

/**
 * Stops the server when this process ends for any reason: a shell waits on a pipe that only this process holds. If the shell is
 * killed too, for example at the end of a container, the next start finds the server.
 */
function guard(pid: number, exited: Promise<void>): void {
  const shell = spawn("/bin/sh", ["-c", 'read -r _; kill -INT "$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
  });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  // Before another process can get the same pid.
  void exited.then(() => shell.kill("SIGKILL"));
}

/** A server already running on the data folder. */
export interface Leftover {
  readonly pid: number;
  readonly port: number;
  /** True if the process that started it still runs, so that it is in use. */
  readonly owned: boolean;
}

export async function findRunning(place: Placement): Promise<Leftover | undefined> {
  const file = (await readPidFile(place.data)) ?? (await findUnnamed(place.data));
  const found = file && (await describeProcess(file.pid));
  // The pid file of a killed server stays: it names the memory that the server's remaining processes may still use.
  if (!file || !found) return undefined;
  if (!found.command.includes(place.data)) {
    // Another program has this pid now; PostgreSQL would take it for a server and refuse to start.
    await removePidFile(place.data);
    return undefined;
  }
  const owner = Number(await readFile(place.ownerFile, "utf8").catch(() => "0"));
  return { pid: file.pid, port: file.port, owned: found.parent === owner };
}

export async function recordOwner(place: Placement): Promise<void> {
  await writeFile(place.ownerFile, String(process.pid));
}

/** Rejects if the folder was removed, or another process has made it again and owns its server. */
export async function requireOwner(place: Placement): Promise<void> {
  const owner = await readFile(place.ownerFile, "utf8").catch(() => undefined);
  if (owner === String(process.pid)) return;
  throw new EmbeddedPostgresError(
    owner === undefined
      ? `The database folder ${place.home} was removed or cannot be read: put it back.`
      : `The database folder ${place.home} is in use by process ${owner}: end that process, or choose another folder.`,
  );
}

export function essentialFiles(place: Placement): readonly string[] {
  const files = ["PG_VERSION", "base", "global/pg_control", "pg_wal"];
  return [place.ownerFile, ...files.map((file) => join(place.data, file))];
}

/**
 * Finds a server whose pid file names no process, because a crash of the machine or a full disk left it empty. Removes the file
 * if there is no server.
 */
async function findUnnamed(data: string): Promise<{ pid: number; port: number } | undefined> {
  if (!existsSync(join(data, "postmaster.pid"))) return undefined;
  const pid = await findByCommand(` -D ${data} `);
  if (pid !== undefined) return { pid, port: 0 };
  // PostgreSQL refuses to start with an empty pid file.
  await removePidFile(data);
  return undefined;
}

async function removePidFile(data: string): Promise<void> {
  await rm(join(data, "postmaster.pid"), { force: true });
}

/** PostgreSQL's lock file: pid, data folder, start time, port, socket folder, address, shared memory key, status. */
async function readPidFile(data: string): Promise<{ pid: number; port: number; ready: boolean } | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}
