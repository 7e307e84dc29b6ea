import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

interface Holder extends ProcessIdentity {
  readonly token: string;
}

/**
 * Runs `work` while nobody else holds the lock file: no other process, and no one else in this one. A lock whose holder
 * was killed is taken over. Rejects after `timeoutMs` of waiting.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const holder: Holder = { ...ownIdentity(), token: randomUUID() };
  const deadline = performance.now() + timeoutMs;
  while (!tryAcquire(file, holder)) {
    takeAwayFromTheDead(file);
    if (performance.now() > deadline) throw new Error(`${file} is held by process ${readHolder(file)?.pid}`);
    await sleep(20);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Linking a complete file is what makes a lock appear with its content, or not at all. */
function tryAcquire(file: string, holder: Holder): boolean {
  const own = `${file}.${holder.token}`;
  writeFileSync(own, JSON.stringify(holder));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function takeAwayFromTheDead(file: string): void {
  const holder = readHolder(file);
  if (!holder || isAlive(holder)) return;
  const aside = `${file}.dead-${randomUUID()}`;
  try {
    renameSync(file, aside);
    // Between reading and renaming another one may have done the same and acquired: then it is theirs, put it back.
    if (readHolder(aside)?.token !== holder.token) linkSync(aside, file);
  } catch {
    // Somebody else took it away.
  }
  rmSync(aside, { force: true });
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}
