import { type EventLoopUtilization, performance } from "node:perf_hooks";
import type { MetricSample } from "@appserver/kernel/ports";
import { type ProcessIdentity, startSample } from "../domain/process-identity.ts";
import type { SampleSource } from "../ports.ts";

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
