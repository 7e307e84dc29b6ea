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

function statOf(pid: number): { group: number; startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain any character, also a closing parenthesis (proc(5): fields 3, 5 and 22).
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
