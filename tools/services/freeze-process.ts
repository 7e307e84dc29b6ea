import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const timeoutMs = 10_000;

/**
 * Sends SIGSTOP and returns when every thread of the process has stopped (Linux). The signal takes effect only when one thread
 * has received it, and on a busy machine the others may still handle some requests. SIGCONT resumes the process.
 */
export function freezeProcess(pid: number): void {
  process.kill(pid, "SIGSTOP");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const deadline = performance.now() + timeoutMs; !standsStill(pid); Atomics.wait(pause, 0, 0, 1))
    if (performance.now() > deadline) throw new Error(`process ${pid} still ran ${timeoutMs} ms after SIGSTOP`);
}

/** Returns whether the state of all threads is "stopped" (proc(5), /proc/pid/task/tid/stat). */
function standsStill(pid: number): boolean {
  const tasks = join("/proc", String(pid), "task");
  return readdirSync(tasks).every((task) => {
    const stat = readFileSync(join(tasks, task, "stat"), "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) === "T";
  });
}
