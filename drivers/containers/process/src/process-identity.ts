import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: when it started, as the system counts; undefined for what is gone. */
  readonly startTime: string;
}

/** When a process started, undefined when it is gone. A process that ended and was not yet collected counts as gone. */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() || undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything, a closing parenthesis too (proc(5): fields 3 and 22).
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : fields[18];
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
