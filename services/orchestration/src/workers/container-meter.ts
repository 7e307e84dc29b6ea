import { type Clock, forEachLimited, type Logger, type PeriodicTask, within } from "@appserver/kernel";
import { type AppUsage, usageByApp } from "../domain/container-usage.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { DeploymentState } from "../domain/deployment-state.ts";
import type { ContainerRuntime, DeploymentStore } from "../ports.ts";

export interface ContainerMeterDeps {
  readonly runtime: Pick<ContainerRuntime, "stats">;
  readonly deployments: Pick<DeploymentStore, "withRole">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this orchestrator holds the app's lease. */
  readonly holds: (appName: string) => boolean;
}

interface Sample {
  readonly usage: AppUsage;
  /** Monotonic. */
  readonly takenAt: number;
}

const intervalMs = 15_000;
/** Half of the connections to an engine, so that repairs never wait for statistics. */
const concurrency = 4;
const timeoutMs = 3_000;
/** A sample that could not be repeated for this time is no longer shown. */
const longestAgeMs = 60_000;

/** In the other states the container does not run, or its name may belong to another installation. */
const runningStates: ReadonlySet<DeploymentState> = new Set(["STARTING", "HEALTHY", "UNHEALTHY", "RESTARTING"]);

/**
 * Measures the containers of the apps whose leases this orchestrator holds (docs/interface/containers.md#metrics), and keeps the last
 * sample of each, so that a scrape never waits for the engine.
 */
export class ContainerMeter {
  readonly #deps: ContainerMeterDeps;
  /** By deployment id. */
  readonly #samples = new Map<string, Sample>();

  constructor(deps: ContainerMeterDeps) {
    this.#deps = deps;
  }

  /** Returns the repeated measurement. `stopping` ends one that runs. */
  task(stopping: AbortSignal): PeriodicTask {
    return { name: "container usage", intervalMs, run: () => this.measure(stopping) };
  }

  /** Takes a sample of each container. One that does not run any more has none afterwards. */
  async measure(stopping: AbortSignal): Promise<void> {
    const { deployments, holds } = this.#deps;
    const measured = (await deployments.withRole()).filter(({ appName, state }) => runningStates.has(state) && holds(appName));
    const ids = new Set(measured.map(({ id }) => id));
    for (const id of this.#samples.keys()) if (!ids.has(id)) this.#samples.delete(id);
    await forEachLimited(measured, concurrency, async (deployment) => {
      if (!stopping.aborted) await this.#sample(deployment, stopping);
    });
  }

  /** Returns the last samples, by app. */
  usage(): readonly AppUsage[] {
    const { clock, holds } = this.#deps;
    const oldest = clock.monotonic() - longestAgeMs;
    const shown = [...this.#samples.values()].filter(({ usage, takenAt }) => takenAt >= oldest && holds(usage.appName));
    return usageByApp(shown.map(({ usage }) => usage));
  }

  /** Keeps the previous sample if the engine does not respond. */
  async #sample({ id, appName, containerName }: Deployment, stopping: AbortSignal): Promise<void> {
    const { runtime, clock, logger } = this.#deps;
    const error = (): Error => new Error(`no response in ${timeoutMs} ms`);
    try {
      const limit = { clock, ms: timeoutMs, signal: stopping, error };
      const stats = await within((signal) => runtime.stats(containerName, signal), limit);
      if (stats) this.#samples.set(id, { usage: { appName, ...stats }, takenAt: clock.monotonic() });
      else this.#samples.delete(id);
    } catch (err) {
      // The reconcilers report an engine that cannot be reached.
      logger.debug({ err, app: appName }, "orchestration: could not measure a container");
    }
  }
}
