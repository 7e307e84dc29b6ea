import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KillableProcess } from "./killable-process.ts";

/** Observations from outside the platform, by run. */
export interface Witnessed {
  readonly acknowledged: ReadonlySet<string>;
  /** How often a handler started each run. */
  readonly executed: ReadonlyMap<string, number>;
}

/**
 * Records every acknowledgement and every execution in a separate process, so that no fault of the platform or of its workers
 * loses a record, and the check does not rely on the platform's own data.
 */
export class ActivityOracle {
  readonly #process: KillableProcess;
  readonly #path: string;
  readonly url: string;

  private constructor(process: KillableProcess, path: string, url: string) {
    this.#process = process;
    this.#path = path;
    this.url = url;
  }

  static async start(folder: string): Promise<ActivityOracle> {
    const path = join(folder, "witnessed");
    const oracle = new KillableProcess(join(import.meta.dirname, "activity-oracle-process.ts"), [path]);
    const { stdout } = oracle.start();
    if (!stdout) throw new Error("the oracle has no output");
    const [url] = await once(stdout, "data");
    return new ActivityOracle(oracle, path, String(url).trim());
  }

  async acknowledge(runId: string): Promise<void> {
    await tellOracle(this.url, "acknowledged", runId);
  }

  read(): Witnessed {
    const acknowledged = new Set<string>();
    const executed = new Map<string, number>();
    for (const line of readFileSync(this.#path, "utf8").split("\n")) {
      const [what, runId = ""] = line.split("/");
      if (what === "acknowledged") acknowledged.add(runId);
      if (what === "executed") executed.set(runId, (executed.get(runId) ?? 0) + 1);
    }
    return { acknowledged, executed };
  }

  stop(): Promise<void> {
    return this.#process.kill();
  }
}

/** Resolves once it is recorded. */
export async function tellOracle(url: string, what: "acknowledged" | "executed", runId: string): Promise<void> {
  const response = await fetch(`${url}/${what}/${runId}`, { method: "POST" });
  await response.arrayBuffer();
}
