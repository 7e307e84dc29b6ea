import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Ticks per second in `/proc/<pid>/stat`. Linux has used this value for a long time. */
const ticksPerSecond = 100;

/**
 * Returns the seconds of CPU, user and system, of a process and of its children that ended. Returns 0 if the process does not
 * exist. Linux only.
 */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / ticksPerSecond;
  } catch {
    return 0;
  }
}

/** Returns a process and all its current descendants. */
export function processTree(root: number): readonly number[] {
  const children = Map.groupBy(
    readdirSync("/proc")
      .map(Number)
      .filter(Number.isInteger)
      .map((pid) => ({ pid, parent: parentOf(pid) })),
    ({ parent }) => parent,
  );
  const tree = [root];
  for (let at = 0; at < tree.length; at += 1) tree.push(...(children.get(tree[at] ?? 0) ?? []).map(({ pid }) => pid));
  return tree;
}

/** Pins a process with all its threads to these cores ("0"). */
export function pin(pid: number, cores: string): void {
  execFileSync("taskset", ["-a", "-c", "-p", cores, String(pid)], { stdio: "ignore" });
}

/** Lets a process have only the time that no other process wants. */
export function yieldToOthers(pid: number): void {
  execFileSync("chrt", ["--idle", "--all-tasks", "--pid", "0", String(pid)], { stdio: "ignore" });
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
