import { spawn } from "node:child_process";
import { join } from "node:path";

/** Installs and builds components while the first tests run. The result of each is printed to standard output. */
export interface Preparation {
  /** Resolves at the end or at the time limit, with the failure of the whole if there was one. Never rejects. */
  finished(): Promise<string | undefined>;
  /** Ends it at once, with all processes that it started. */
  end(): void;
}

/** Longer than the slowest build from scratch, but short enough to end a run that hangs. */
const timeoutMs = 40 * 60_000;

/**
 * Starts the preparation in its own process. An unavailable component is not a failure here: the tests that need it try again
 * and report the reason.
 */
export function prepare(root: string, components: readonly string[]): Preparation {
  if (components.length === 0) return { finished: async () => undefined, end: () => {} };
  const args = [join(root, "tools/services/prepare.ts"), ...components];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process group is empty.
    }
  };
  const timer = setTimeout(end, timeoutMs);
  const finished = new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(`the preparation did not start: ${error.message}`));
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `the preparation ended with ${signal ?? code}`));
  }).finally(() => clearTimeout(timer));
  return { finished: () => finished, end };
}
