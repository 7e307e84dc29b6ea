import { readFileSync } from "node:fs";
import { processTree } from "./process-cpu.ts";

const megabyte = 1_000_000;

/** Returns the resident memory of a process in MB, or of its whole tree. Linux only. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024) / megabyte;
}

/** Returns the memory of a process in MB, where a page that several processes use counts for each in part. 0 after its end. Linux only. */
export function sharedOutMb(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return (Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1_024) / megabyte;
  } catch {
    return 0;
  }
}

/** Runs `work` and returns the highest resident memory of a process and its children, MB, among samples at short intervals. */
export async function peakMb(pid: number, work: () => Promise<unknown>): Promise<number> {
  const pids = processTree(pid);
  const now = (): number => pids.reduce((sum, each) => sum + residentMb(each), 0);
  let peak = now();
  const sampling = setInterval(() => (peak = Math.max(peak, now())), 20);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return Math.max(peak, now());
}
