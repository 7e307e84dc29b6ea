import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@appserver/kernel";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { isAlive } from "./processes.ts";

const patienceMs = 90_000;
const pollMs = 20;

/**
 * Runs the work while no other process does so for the folder. A holder that was killed is recognised by its pid, so the
 * next start never waits for it.
 */
export async function withFolderLock<T>(folder: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const file = join(folder, "lock");
  for (const deadline = clock.monotonic() + patienceMs; !(await take(file)); await clock.sleep(pollMs)) {
    if (clock.monotonic() > deadline) {
      throw new EmbeddedPostgresError(
        `Another process has been starting on ${folder} for too long: end it, then remove ${file}.`,
      );
    }
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const holder = Number(await readFile(file, "utf8").catch(() => ""));
  // Empty for the instant between its creation and its writing. Our own pid: left by a process that had it before us.
  if (holder > 0 && (holder === process.pid || !isAlive(holder))) await rm(file, { force: true });
  return false;
}
