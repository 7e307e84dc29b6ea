import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Ticks of `/proc/<pid>/stat` in a second: Linux has no other since long. */
const ticksPerSecond = 100;

/**
 * Seconds of CPU, user and system, that a process has used, and those of its children that ended. 0 for what is gone.
 * Linux only.
 */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / ticksPerSecond;
  } catch {
    return 0;
  }
}

/** A process and all below it, as they are now. */
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

/** Keeps a process, all its threads, on these cores ("0"). */
export function pin(pid: number, cores: string): void {
  execFileSync("taskset", ["-a", "-c", "-p", cores, String(pid)], { stdio: "ignore" });
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
