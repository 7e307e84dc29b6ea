import { durationBucket } from "@appserver/kernel";
import { durationBounds, type MetricSample, requestSamples, type SampleSource } from "@appserver/kernel/ports";
import type { RequestRecord } from "../domain/request-record.ts";

interface Counts {
  requests: number;
  errors: number;
  refused: number;
  limited: number;
  readonly durations: number[];
}

/** Counts finished requests by app and route between samples. Requests to no app are left out. */
export class RouteSamples implements SampleSource {
  #apps = new Map<string, Map<string, Counts>>();

  add({ app, route = "", status, durationMs, reasonId }: RequestRecord): void {
    if (app === undefined) return;
    const counts = this.#countsOf(app, route);
    counts.requests += 1;
    if (status >= 500) counts.errors += 1;
    else if (status >= 400) counts.refused += 1;
    if (reasonId === "rate_limited") counts.limited += 1;
    const bucket = durationBucket(durationMs / 1_000);
    counts.durations[bucket] = (counts.durations[bucket] ?? 0) + 1;
  }

  takeSamples(): readonly MetricSample[] {
    const taken = this.#apps;
    this.#apps = new Map();
    return [...taken].flatMap(([appName, routes]) =>
      [...routes].flatMap(([route, counts]) => samplesOf(counts).map((sample) => ({ appName, route, ...sample }))),
    );
  }

  #countsOf(app: string, route: string): Counts {
    let routes = this.#apps.get(app);
    if (!routes) {
      routes = new Map();
      this.#apps.set(app, routes);
    }
    let counts = routes.get(route);
    if (!counts) {
      const durations = new Array<number>(durationBounds.length + 1).fill(0);
      counts = { requests: 0, errors: 0, refused: 0, limited: 0, durations };
      routes.set(route, counts);
    }
    return counts;
  }
}

function samplesOf({ durations, ...counts }: Counts): readonly Pick<MetricSample, "name" | "value" | "durations">[] {
  const { requests, ...others } = counts;
  const more = Object.entries(others).filter(([, value]) => value > 0);
  return [{ name: requestSamples.requests, value: requests, durations }, ...more.map(([name, value]) => ({ name, value }))];
}
