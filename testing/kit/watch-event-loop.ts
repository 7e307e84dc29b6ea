import { createServer } from "node:http";
import { isMainThread } from "node:worker_threads";

/** The longest delay of the event loop in ms. */
export interface LongestDelay {
  /** Between two turns of a timer that is due every millisecond. */
  readonly wallMs: number;
  /** The part of it in which the thread had a CPU. The machine caused the rest. */
  readonly cpuMs: number;
}

/**
 * Loaded into a process under test before its own code (`node --import`). Reports on a separate port the longest delay of the
 * event loop since the last report.
 */
const port = process.env["EVENT_LOOP_GUARD_PORT"];
/** It is replaced by the process under test, which gets its environment. */
const isLauncher = /\/bin\/\w+\.mjs$/.test(process.argv[1] ?? "");

if (port !== undefined && isMainThread && !isLauncher) {
  let longest: LongestDelay = { wallMs: 0, cpuMs: 0 };
  let before = times();
  setInterval(() => {
    const now = times();
    longest = {
      wallMs: Math.max(longest.wallMs, now.wallMs - before.wallMs),
      cpuMs: Math.max(longest.cpuMs, now.cpuMs - before.cpuMs),
    };
    before = now;
  }, 1).unref();
  const server = createServer((_, response) => {
    // A timer that is due runs before the report of a delay that has just ended.
    setTimeout(() => {
      response.end(JSON.stringify(longest));
      longest = { wallMs: 0, cpuMs: 0 };
    }, 5);
  });
  server.listen(Number(port), "127.0.0.1").unref();
  // Child processes are not under test.
  delete process.env["EVENT_LOOP_GUARD_PORT"];
}

function times(): LongestDelay {
  const { user, system } = process.threadCpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
