import { type EventLoopUtilization, performance } from "node:perf_hooks";
import type { MetricSample } from "../platform-ports/metric-history.ts";
import type { SampleSource } from "./metric-sampler.ts";

/** Processor time, memory and event loop of this process. */
export class ProcessSamples implements SampleSource {
  #cpu = process.cpuUsage();
  #loop: EventLoopUtilization = performance.eventLoopUtilization();

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
    return Object.entries(values).map(([name, value]) => ({ appName: undefined, route: "", name, value }));
  }
}
