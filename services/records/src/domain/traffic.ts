import { durationQuantile } from "@appserver/kernel";

/** Requests to apps. */
export interface Counts {
  readonly requests: number;
  /** Responses with 5xx, and requests without a response. */
  readonly errors: number;
  /** Responses with 4xx. */
  readonly refused: number;
  /** Those of the refused that exceeded a rate limit. */
  readonly limited: number;
  /** The number of requests in each bucket of durations. */
  readonly durations: readonly number[];
}

/** Requests to apps and how long they took. Milliseconds; null without requests. */
export interface Traffic extends Omit<Counts, "durations"> {
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum = (name: "requests" | "errors" | "refused" | "limited"): number =>
    all.reduce((total, counts) => total + counts[name], 0);
  const durations: number[] = [];
  for (const counts of all)
    for (const [bucket, count] of counts.durations.entries()) durations[bucket] = (durations[bucket] ?? 0) + count;
  return { requests: sum("requests"), errors: sum("errors"), refused: sum("refused"), limited: sum("limited"), durations };
}

export function trafficOf({ durations, requests, errors, refused, limited }: Counts): Traffic {
  const quantileMs = (part: number): number | null => {
    const seconds = durationQuantile(durations, part);
    return seconds === null ? null : Math.round(seconds * 100_000) / 100;
  };
  return {
    ...{ requests, errors, refused, limited },
    p50Ms: quantileMs(0.5),
    p90Ms: quantileMs(0.9),
    p95Ms: quantileMs(0.95),
    p99Ms: quantileMs(0.99),
  };
}
