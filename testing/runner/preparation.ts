import { spawn } from "node:child_process";
import { join } from "node:path";

/** Components being installed and built beside the first tests; each tells on standard output what became of it. */
export interface Preparation {
  /** Resolves when all is done or time is up, with what went wrong as a whole; never rejects. */
  finished(): Promise<string | undefined>;
  /** Ends it at once with all that it started. */
  end(): void;
}

/** Longer than the coldest build, shorter than anybody's patience with a run that hangs. */
const timeoutMs = 40 * 60_000;

/**
 * Starts preparing in a process of its own. A component that cannot be had is no failure here: the tests that need it try
 * again, and say why there is none.
 */
export function prepare(root: string, components: readonly string[]): Preparation {
  if (components.length === 0) return { finished: async () => undefined, end: () => {} };
  return prepareWith([process.execPath, join(root, "tools/services/prepare.ts"), ...components], timeoutMs);
}

/** The same by any command. */
export function prepareWith([program = "", ...args]: readonly string[], limitMs: number): Preparation {
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nobody is left in the group.
    }
  };
  const timer = setTimeout(end, limitMs);
  const finished = new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(`the preparation did not start: ${error.message}`));
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `the preparation ended with ${signal ?? code}`));
  }).finally(() => clearTimeout(timer));
  return { finished: () => finished, end };
}
