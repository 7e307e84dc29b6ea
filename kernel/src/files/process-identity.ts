import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: when it started, as the system counts; undefined for what is gone. */
  readonly startTime: string;
}

/** When a process started, undefined when it is gone. A process that ended and was not yet collected counts as gone. */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") return statOf(pid)?.startTime;
  return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() || undefined;
}

/** Whether anything runs in a process group. What ended and nobody collected still answers signals; it does not count. */
export function isGroupRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  return process.platform !== "linux" || processNumbers().some((pid) => statOf(pid)?.group === group);
}

/** Every process of this machine (Linux). */
export function processNumbers(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function statOf(pid: number): { group: number; startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything, a closing parenthesis too (proc(5): fields 3, 5 and 22).
    const [state = "Z", , group, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const startTime = fields[16];
    return state === "Z" || state === "X" || startTime === undefined ? undefined : { group: Number(group), startTime };
  } catch {
    return undefined;
  }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.startTime;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
}
