import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@appserver/kernel";
import { replaceFile } from "@appserver/kernel/files";
import { giveTo } from "./account.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { Placement } from "./placement.ts";
import { findByCommand, stopProcess } from "./processes.ts";

export const superuser = "appserver";
export const databaseName = "appserver";

const advice = "restore it from a backup, or move it away to start with an empty database";

/** Ensures that a data folder exists that this server can open. Never deletes or changes an existing one. */
export async function ensureDataFolder(place: Placement, clock: Clock): Promise<void> {
  const state = await inspect(place);
  if (state === "absent") await initialise(place, clock);
}

/** Returns the superuser's password and creates it at first use. */
export async function ensurePassword(place: Placement): Promise<string> {
  const known = await readFile(place.passwordFile, "utf8").catch(() => undefined);
  const password = known?.trim() || randomBytes(24).toString("base64url");
  if (!known) await replaceFile(place.passwordFile, password);
  // Also that of a process that was killed before it did so.
  await giveTo(place.account, place.passwordFile);
  if (known) return password;
  // The password file was lost but the data exists: the server gets the new password before it accepts connections.
  if ((await inspect(place)) === "usable")
    await singleUser(place, place.data, `alter role ${superuser} password '${password}'`);
  return password;
}

async function inspect({ data, account, majorVersion }: Placement): Promise<"absent" | "usable"> {
  let entries: string[];
  try {
    const { uid } = await stat(data);
    if (!account && uid !== process.getuid?.()) {
      throw new EmbeddedPostgresError(
        `The data folder ${data} belongs to another user (id ${uid}): start as that user or as root, or choose another folder.`,
      );
    }
    entries = await readdir(data);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "absent";
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(`The data folder ${data} cannot be read (${code}): ${advice}.`);
  }
  if (entries.length === 0) return "absent";
  const version = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  if (!version?.trim()) {
    throw new EmbeddedPostgresError(`The data folder ${data} is damaged (PG_VERSION is missing): ${advice}.`);
  }
  if (version.trim() !== majorVersion) {
    throw new EmbeddedPostgresError(
      `The data folder ${data} was created by PostgreSQL ${version.trim()}, but this is PostgreSQL ${majorVersion}: ${advice}.`,
    );
  }
  return "usable";
}

/**
 * Creates the data under another name and renames it, so that a folder called `data` is always complete. If the process is
 * killed in between, the next start deletes the rest.
 */
async function initialise(place: Placement, clock: Clock): Promise<void> {
  const unfinished = `${place.data}.unfinished`;
  // A killed process leaves its initdb behind, which would write into this folder, and remove it at an error.
  const leftover = await findByCommand(` -D ${unfinished} `);
  if (leftover !== undefined) await stopProcess(leftover, clock, "SIGKILL");
  // The child of such an initdb ends a moment later.
  await rm(unfinished, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  await ensurePassword(place);
  await program(place, "initdb", [
    "-D",
    unfinished,
    `--username=${superuser}`,
    `--pwfile=${place.passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--data-checksums",
  ]);
  await singleUser(place, unfinished, `create database ${databaseName}`);
  await rename(unfinished, place.data);
  const home = await open(place.home);
  try {
    await home.sync();
  } finally {
    await home.close();
  }
}

function singleUser(place: Placement, data: string, statement: string): Promise<void> {
  return program(place, "postgres", ["--single", "-D", data, "postgres"], `${statement}\n`);
}

/** Runs one of the server's programs to its end. Its error output becomes the error. */
function program(place: Placement, name: string, args: readonly string[], input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(place.binaries, "bin", name), args, {
      ...place.account,
      cwd: place.home,
      env: serverEnvironment,
      stdio: ["pipe", "ignore", "pipe"],
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-4_000);
    });
    // The program ended before it read everything; the exit status gives the reason.
    child.stdin.on("error", () => {}).end(input);
    const fail = (reason: string): void =>
      reject(new EmbeddedPostgresError(`The data folder ${place.data} could not be initialised: ${name}: ${reason}`));
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => (code === 0 && !/\b(ERROR|FATAL):/.test(complaint) ? resolve() : fail(lastLine(complaint))));
  });
}

/** Excludes this process's environment: PG* variables would change the server's behavior, and it needs no others. */
export const serverEnvironment: Readonly<NodeJS.ProcessEnv> = { LC_ALL: "C", PATH: "/usr/bin:/bin", TZ: "UTC" };

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
