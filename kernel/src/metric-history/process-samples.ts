import { type EventLoopUtilization, performance } from "node:perf_hooks";
import type { MetricSample } from "../platform-ports/metric-history.ts";
import type { SampleSource } from "./metric-sampler.ts";

/** What a process is. `worker`: one of several processes of a server on one machine. */
export type ProcessKind = "serve" | "worker" | "orchestrate";

export interface ProcessIdentity {
  readonly kind: ProcessKind;
  /** Of the platform. */
  readonly version: string;
}

/** Name of the sample whose value is the time of the start in milliseconds since the epoch. Its `route` has kind and version. */
export const startSample = "startedAt";

/** Returns kind and version from the `route` of a {@link startSample}. */
export function identityOf(route: string): { readonly kind: string; readonly version: string } {
  const [kind = "", version = ""] = route.split(" ");
  return { kind, version };
}

/** Identity, processor time, memory and event loop of this process. */
export class ProcessSamples implements SampleSource {
  readonly #identity: string;
  readonly #startedAt = Date.now() - Math.round(process.uptime() * 1_000);
  #cpu = process.cpuUsage();
  #loop: EventLoopUtilization = performance.eventLoopUtilization();

  constructor({ kind, version }: ProcessIdentity) {
    this.#identity = `${kind} ${version}`;
  }

  takeSamples(): readonly MetricSample[] {
    const cpu = process.cpuUsage(this.#cpu);
    const loop = performance.eventLoopUtilization(this.#loop);
    this.#cpu = process.cpuUsage();
    this.#loop = performance.eventLoopUtilization();
    const { rss, heapUsed } = process.memoryUsage();
    const values = {
      cpuSeconds: (cpu.user + cpu.system) / 1_000_000,
      eventLoopUtilization: loop.utilization,
      residentBytes: rss,
      heapUsedBytes: heapUsed,
    };
    const measured = Object.entries(values).map(([name, value]) => ({ appName: undefined, route: "", name, value }));
    return [{ appName: undefined, route: this.#identity, name: startSample, value: this.#startedAt }, ...measured];
  }
}
