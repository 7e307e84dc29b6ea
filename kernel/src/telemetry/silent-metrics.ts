import type { CounterHandle, Exposition, GaugeHandle, HistogramHandle, Metrics } from "../platform-ports/metrics.ts";

class SilentHandle implements CounterHandle, GaugeHandle, HistogramHandle {
  add(): void {}
  set(): void {}
  observe(): void {}
}

const handle = new SilentHandle();
const instrument = { bind: (): SilentHandle => handle };

class SilentMetrics implements Metrics {
  counter(): typeof instrument {
    return instrument;
  }

  gauge(): typeof instrument {
    return instrument;
  }

  histogram(): typeof instrument {
    return instrument;
  }

  observe(): void {}

  totals(): readonly [] {
    return [];
  }

  remove(): void {}

  async expose(): Promise<Exposition> {
    return { contentType: "text/plain; charset=utf-8", body: "" };
  }
}

/** Metrics that record nothing. */
export const silentMetrics: Metrics = new SilentMetrics();
