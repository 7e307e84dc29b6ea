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
  /** Ends the wait; {@link withFileLock} rejects with its reason. */
  readonly signal?: AbortSignal;
}

const lookMs = 20;

/** A lock that this process holds until it releases it or ends, however it ends. */
export interface HeldFileLock {
  release(): void;
}

/**
 * Takes the lock file when no living process holds it; otherwise returns the holder. The file appears with its content or
 * not at all, and names the process by its id and start time: a lock whose holder was killed is taken over, also when its
 * id went to another process, and a file that names no process is a dead lock.
 */
export function takeFileLock(file: string): HeldFileLock | { readonly heldBy: ProcessIdentity } {
  const own: Holder = { ...ownIdentity(), token: randomUUID() };
  for (;;) {
    if (tryLink(file, own)) return { release: () => rmSync(file, { force: true }) };
    const text = read(file);
    const holder = text === undefined ? undefined : parse(text);
    if (holder && isAlive(holder)) return { heldBy: holder };
    if (text !== undefined) removeDead(file, text);
  }
}

/** Runs `work` under the lock file; waits for its holder. Rejects with the holder's process id after the timeout. */
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

/** The wait for a lock file took too long. */
export class FileLockTimeoutError extends Error {
  override readonly name = "FileLockTimeoutError";
  readonly pid: number;

  constructor(file: string, pid: number) {
    super(`${file} is held by process ${pid}`);
    this.pid = pid;
  }
}

/** Linking a complete file is what makes a lock appear with its content. */
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
    // Between reading and renaming another process may have done the same and acquired: then it is theirs, put it back.
    if (read(aside) !== text) linkSync(aside, file);
  } catch {
    // Another process took it away.
  }
  rmSync(aside, { force: true });
}

/** Undefined when there is no such file. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Undefined for what is not written by {@link tryLink}: cut off by a crash of the machine, or empty. */
function parse(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startTime } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    return typeof pid === "number" && typeof startTime === "string" ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
