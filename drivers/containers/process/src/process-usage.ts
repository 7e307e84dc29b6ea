import { readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { isAlive, listedProcess, type ProcessIdentity, processNumbers } from "@appserver/kernel/files";
import type { ContainerStats } from "@appserver/kernel/ports";

/** Containers that are measured within this time share one list of processes. */
const listedForMs = 1_000;
/** How many processes are read before other work has its turn. */
const perTurn = 64;

/** The processes of this machine, by their parent and by their session. */
interface ProcessList {
  readonly byParent: ReadonlyMap<number, readonly number[]>;
  readonly bySession: ReadonlyMap<number, readonly number[]>;
}

/** Measures processes and everything that they started (Linux). */
export class ProcessUsage {
  #list: Promise<ProcessList> | undefined;
  #listedAt = 0;

  /**
   * Returns what a process uses together with the processes of its session and all their descendants. Memory is the sum of resident
   * memory, so that what several processes share counts several times. Undefined if it has ended, or without `/proc`.
   */
  async of(leader: ProcessIdentity): Promise<ContainerStats | undefined> {
    if (process.platform !== "linux" || !isAlive(leader)) return undefined;
    const members = membersOf(leader.pid, await this.#processes());
    const sum = (measure: (pid: number) => number): number => members.reduce((total, pid) => total + measure(pid), 0);
    const cpuSeconds = sum((pid) => listedProcess(pid)?.cpuSeconds ?? 0);
    const memoryBytes = sum(residentBytes);
    // It may have ended in between, and then parts are missing.
    return isAlive(leader) ? { memoryBytes, memoryLimitBytes: undefined, cpuSeconds } : undefined;
  }

  #processes(): Promise<ProcessList> {
    if (!this.#list || performance.now() - this.#listedAt > listedForMs) {
      this.#listedAt = performance.now();
      this.#list = listProcesses();
    }
    return this.#list;
  }
}

async function listProcesses(): Promise<ProcessList> {
  const [byParent, bySession] = [new Map<number, number[]>(), new Map<number, number[]>()];
  for (const [index, pid] of processNumbers().entries()) {
    if (index % perTurn === perTurn - 1) await turn();
    const found = listedProcess(pid);
    if (!found) continue;
    add(byParent, found.parent, pid);
    add(bySession, found.session, pid);
  }
  return { byParent, bySession };
}

function add(lists: Map<number, number[]>, key: number, pid: number): void {
  const list = lists.get(key);
  if (list) list.push(pid);
  else lists.set(key, [pid]);
}

function membersOf(leader: number, { byParent, bySession }: ProcessList): readonly number[] {
  // A member's parent may have ended, so that only the session shows to which app it belongs.
  const members = new Set([leader, ...(bySession.get(leader) ?? [])]);
  // The loop also visits the members that it adds.
  for (const pid of members) for (const child of byParent.get(pid) ?? []) members.add(child);
  return [...members];
}

/** Returns the resident memory of a process. 0 if it has ended. */
function residentBytes(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kibibytes ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
