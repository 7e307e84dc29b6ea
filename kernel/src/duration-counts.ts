import { durationBounds } from "./platform-ports/metric-history.ts";

/** Returns the index of the bucket of a duration. */
export function durationBucket(seconds: number): number {
  let bucket = 0;
  while (bucket < durationBounds.length && seconds > (durationBounds[bucket] as number)) bucket += 1;
  return bucket;
}

/**
 * Returns the duration in seconds below which this part, 0 to 1, of the durations lies, interpolated within its bucket. Null
 * without durations. Durations beyond the last bound count as that bound.
 */
export function durationQuantile(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = part * total;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    const upper = durationBounds[bucket];
    if (upper === undefined) break;
    if (below + count >= rank && count > 0) {
      const lower = durationBounds[bucket - 1] ?? 0;
      return lower + (upper - lower) * ((rank - below) / count);
    }
    below += count;
  }
  return durationBounds.at(-1) ?? null;
}
