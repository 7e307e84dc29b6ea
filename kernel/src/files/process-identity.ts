import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Identifies a process even if a later one gets the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: when the process started, as the system counts. */
  readonly startTime: string;
}

/** Returns when a process started. Undefined if it has ended, even if its parent has not collected it yet (a zombie). */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") return statOf(pid)?.startTime;
  return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() || undefined;
}

/** Whether any process of the group runs. Zombies still accept signals but do not count. */
export function isGroupRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  return process.platform !== "linux" || processNumbers().some((pid) => statOf(pid)?.group === group);
}

/** Returns the numbers of all processes on this machine (Linux). */
export function processNumbers(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** A process as the system lists it, also one that has ended and was not collected by its parent yet (a zombie). */
export interface ListedProcess {
  readonly hasEnded: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: string;
  /** Processor time, user and system, its own and that of the children that it has collected. */
  readonly cpuSeconds: number;
}

/** Linux counts processor time for programs in these units on every architecture that Node supports (proc(5), time(7)). */
const ticksPerSecond = 100;

/** Returns a process (Linux). Undefined if there is none with this number. */
export function listedProcess(pid: number): ListedProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain any character, also a closing parenthesis. proc(5) numbers the next field 3.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const numberAt = (field: number): number => Number(fields[field - 3]);
    const startTime = fields[22 - 3];
    if (startTime === undefined) return undefined;
    return {
      hasEnded: fields[0] === "Z" || fields[0] === "X",
      parent: numberAt(4),
      group: numberAt(5),
      session: numberAt(6),
      startTime,
      cpuSeconds: (numberAt(14) + numberAt(15) + numberAt(16) + numberAt(17)) / ticksPerSecond,
    };
  } catch {
    return undefined;
  }
}

function statOf(pid: number): ListedProcess | undefined {
  const found = listedProcess(pid);
  return found?.hasEnded ? undefined : found;
}

export function isAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.startTime;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
}
