import type { DeploymentState } from "@appserver/contracts/deployments";
import { type Clock, forEachLimited, type Logger, type PeriodicTask, within } from "@appserver/kernel";
import { type AppMemory, type AppUsage, memoryByApp } from "../domain/container-usage.ts";
import type { ContainerRuntime, DeploymentContainer, DeploymentStore } from "../ports.ts";

export interface ContainerMeterDeps {
  readonly runtime: Pick<ContainerRuntime, "stats">;
  readonly deployments: Pick<DeploymentStore, "containers">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this orchestrator owns the app's lease. */
  readonly owns: (appName: string) => boolean;
}

/** The processor time of an app, in seconds, over all its containers. It never decreases, as a counter must not. */
interface ProcessorTime {
  total: number;
  /** What each instance of its deployments had used at its last sample. */
  readonly last: Map<string, Readonly<Record<string, number>>>;
}

interface Sample {
  readonly usage: AppMemory;
  /** Monotonic. */
  readonly takenAt: number;
}

const intervalMs = 15_000;
/** Half of the connections to an engine, so that repairs never wait for statistics. */
const concurrency = 4;
const timeoutMs = 3_000;
/** A sample that could not be repeated for this time is no longer shown. */
const maxAgeMs = 60_000;

/** In the other states the container does not run, or its name may belong to another installation. */
const runningStates: ReadonlySet<DeploymentState> = new Set(["STARTING", "HEALTHY", "UNHEALTHY", "RESTARTING"]);

/**
 * Measures the containers of the apps whose leases this orchestrator owns (docs/interface/containers.md#metrics), and keeps the last
 * sample of each, so that a scrape never waits for the engine.
 */
export class ContainerMeter {
  readonly #deps: ContainerMeterDeps;
  /** By deployment id. */
  readonly #samples = new Map<string, Sample>();
  /** By app name. Kept while another orchestrator owns the lease, so that it continues when the lease comes back. */
  readonly #processorTimes = new Map<string, ProcessorTime>();

  constructor(deps: ContainerMeterDeps) {
    this.#deps = deps;
  }

  /** Returns the repeated measurement. `stopping` ends one that runs. */
  task(stopping: AbortSignal): PeriodicTask {
    return { name: "container usage", intervalMs, run: () => this.measure(stopping) };
  }

  /** Takes a sample of each container. One that does not run any more has none afterwards. */
  async measure(stopping: AbortSignal): Promise<void> {
    const { deployments, owns } = this.#deps;
    const measured = (await deployments.containers()).filter(({ appName, state }) => runningStates.has(state) && owns(appName));
    const ids = new Set(measured.map(({ id }) => id));
    for (const id of this.#samples.keys()) if (!ids.has(id)) this.#samples.delete(id);
    for (const [appName, { last }] of this.#processorTimes)
      if (owns(appName)) for (const id of last.keys()) if (!ids.has(id)) last.delete(id);
    await forEachLimited(measured, concurrency, async (deployment) => {
      if (!stopping.aborted) await this.#sample(deployment, stopping);
    });
  }

  /** Returns the last samples, by app. */
  usage(): readonly AppUsage[] {
    const { clock, owns } = this.#deps;
    const oldest = clock.monotonic() - maxAgeMs;
    const shown = [...this.#samples.values()].filter(({ usage, takenAt }) => takenAt >= oldest && owns(usage.appName));
    return memoryByApp(shown.map(({ usage }) => usage)).map((usage) => ({
      ...usage,
      cpuSeconds: this.#processorTimes.get(usage.appName)?.total ?? 0,
    }));
  }

  /** Removes what is known of an app. */
  forget(appName: string): void {
    this.#processorTimes.delete(appName);
    for (const [id, { usage }] of this.#samples) if (usage.appName === appName) this.#samples.delete(id);
  }

  /** Keeps the previous sample if the engine does not respond. */
  async #sample({ id, appName, containerName }: DeploymentContainer, stopping: AbortSignal): Promise<void> {
    const { runtime, clock, logger, owns } = this.#deps;
    const error = (): Error => new Error(`no response in ${timeoutMs} ms`);
    try {
      const limit = { clock, ms: timeoutMs, signal: stopping, error };
      const stats = await within((signal) => runtime.stats(containerName, signal), limit);
      // Another orchestrator may have taken over, or the app may have been uninstalled, during the request.
      if (!stats || !owns(appName)) {
        this.#samples.delete(id);
        return;
      }
      const { cpuSeconds, cpuSecondsOf = { "": cpuSeconds }, ...memory } = stats;
      this.#samples.set(id, { usage: { appName, ...memory }, takenAt: clock.monotonic() });
      this.#count(appName, id, cpuSecondsOf);
    } catch (err) {
      // The reconcilers report an engine that cannot be reached.
      logger.debug({ err, app: appName }, "orchestration: could not measure a container");
    }
  }

  /** A smaller value than before is that of an instance that was started again, or of another container, which began at 0. */
  #count(appName: string, id: string, cpuSecondsOf: Readonly<Record<string, number>>): void {
    const time: ProcessorTime = this.#processorTimes.get(appName) ?? { total: 0, last: new Map() };
    const last = time.last.get(id) ?? {};
    for (const [instance, cpuSeconds] of Object.entries(cpuSecondsOf)) {
      const before = last[instance] ?? 0;
      time.total += cpuSeconds >= before ? cpuSeconds - before : cpuSeconds;
    }
    time.last.set(id, cpuSecondsOf);
    this.#processorTimes.set(appName, time);
  }
}
