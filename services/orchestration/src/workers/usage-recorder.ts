import type { StoredDatabase } from "@appserver/contracts/deployments";
import type { Clock, PeriodicTask } from "@appserver/kernel";
import type { AppUsage } from "../domain/container-usage.ts";
import type { AppUsageSample, UsageHistory } from "../ports.ts";

const intervalMs = 30_000;

export interface UsageRecorderDeps {
  /** What the containers of the owned apps used at their last measurement. */
  readonly containers: () => readonly AppUsage[];
  readonly databases: () => readonly StoredDatabase[];
  readonly history: Pick<UsageHistory, "append">;
  readonly clock: Clock;
}

/** Stores what the apps of this orchestrator use, for the charts of the last hour and day. */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  /** The processor time of each app at the last sample. The first value of an app includes what it used before. */
  #before = new Map<string, { readonly cpuSeconds: number; readonly at: number }>();

  constructor(deps: UsageRecorderDeps) {
    this.#deps = deps;
  }

  task(): PeriodicTask {
    return { name: "usage of apps", intervalMs, run: () => this.record() };
  }

  async record(): Promise<void> {
    const { history, databases, clock } = this.#deps;
    const at = clock.monotonic();
    const containers = this.#deps.containers();
    const samples = new Map<string, AppUsageSample>();
    for (const { appName, memoryBytes, cpuSeconds } of containers) {
      const before = this.#before.get(appName);
      const cpu = before && at > before.at ? ((cpuSeconds - before.cpuSeconds) * 1_000) / (at - before.at) : undefined;
      samples.set(appName, { appName, memoryBytes, cpu });
    }
    for (const { appName, usedBytes } of databases())
      samples.set(appName, { ...samples.get(appName), appName, databaseBytes: usedBytes });
    this.#before = new Map(containers.map(({ appName, cpuSeconds }) => [appName, { cpuSeconds, at }]));
    if (samples.size > 0) await history.append([...samples.values()]);
  }
}
