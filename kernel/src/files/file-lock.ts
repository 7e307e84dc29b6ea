import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

interface Holder extends ProcessIdentity {
  /** Differs between two holders in one process. */
  readonly token: string;
}

export interface FileLockOptions {
  /** Default 60 s. */
  readonly timeoutMs?: number;
  /** Ends the wait: {@link withFileLock} rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const lookMs = 20;

/** A lock that this process holds until it releases it or ends, for any reason. */
export interface HeldFileLock {
  /** Whether the file is still that of this lock: false if it, or its folder, was removed or replaced. Throws if it cannot be read. */
  isIntact(): boolean;
  /** Leaves the file of another lock: after a removal by hand, another process may have one. */
  release(): void;
}

/**
 * Takes the lock file if no living process holds it; otherwise returns the holder. The file appears complete or not at all. It
 * names the process by id and start time, so a lock whose holder was killed is taken over even if another process has that id
 * now. A file that names no process counts as a dead lock.
 */
export function takeFileLock(file: string): HeldFileLock | { readonly heldBy: ProcessIdentity } {
  const own: Holder = { ...ownIdentity(), token: randomUUID() };
  for (;;) {
    if (tryLink(file, own)) return heldLock(file, JSON.stringify(own));
    const text = read(file);
    const holder = text === undefined ? undefined : parse(text);
    if (holder && isAlive(holder)) return { heldBy: holder };
    if (text !== undefined) removeDead(file, text);
  }
}

/** Runs `work` under the lock file. Waits for another holder; after the timeout it rejects with the holder's process id. */
export async function withFileLock<T>(file: string, work: () => Promise<T>, options: FileLockOptions = {}): Promise<T> {
  const { timeoutMs = 60_000, signal } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const taken = takeFileLock(file);
    if ("release" in taken) {
      try {
        return await work();
      } finally {
        taken.release();
      }
    }
    if (performance.now() > deadline) throw new FileLockTimeoutError(file, taken.heldBy.pid);
    await sleep(lookMs);
    signal?.throwIfAborted();
  }
}

/** Thrown if the wait for a lock file takes too long. */
export class FileLockTimeoutError extends Error {
  override readonly name = "FileLockTimeoutError";
  readonly pid: number;

  constructor(file: string, pid: number) {
    super(`${file} is held by process ${pid}`);
    this.pid = pid;
  }
}

function heldLock(file: string, own: string): HeldFileLock {
  const isIntact = (): boolean => read(file) === own;
  const release = (): void => {
    if (isIntact()) rmSync(file, { force: true });
  };
  return { isIntact, release };
}

/** Links a complete file, so that the lock never appears without its content. */
function tryLink(file: string, holder: Holder): boolean {
  const own = `${file}.${holder.token}`;
  try {
    writeFileSync(own, JSON.stringify(holder));
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function removeDead(file: string, text: string): void {
  const aside = `${file}.dead-${randomUUID()}`;
  try {
    renameSync(file, aside);
    // Between the read and the rename, another process may have removed the dead lock and acquired its own: put that one back.
    if (read(aside) !== text) linkSync(aside, file);
  } catch {
    // Another process removed it.
  }
  rmSync(aside, { force: true });
}

/** Returns undefined if the file does not exist. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns undefined for content that {@link tryLink} did not write: empty, or truncated by a crash of the machine. */
function parse(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startTime } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    return typeof pid === "number" && typeof startTime === "string" ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
