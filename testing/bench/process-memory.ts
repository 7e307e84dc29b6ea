import { readFileSync } from "node:fs";
import { processTree } from "./process-cpu.ts";

const megabyte = 1_000_000;

/** Returns the resident memory of a process in MB, or of its whole tree. Linux only. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024) / megabyte;
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
