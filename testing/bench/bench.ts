export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** One figure of a bench, measured once per round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly samples: readonly number[];
  /** The target for the median. */
  readonly target?: Target;
  /**
   * Whether it is a ratio to a peer of the same run. Other load hardly changes it, so it is compared with the stored baseline.
   */
  readonly isRatio?: boolean;
}

export interface Measurement {
  readonly figures: readonly Figure[];
  /** Facts that a reader needs to judge the figures. */
  readonly notes: readonly string[];
}

export interface BenchOptions {
  /** Interleaved repetitions. */
  readonly rounds: number;
  /** Reports the progress. */
  readonly log: (line: string) => void;
  /** Aborted by Ctrl-C. The bench then stops the processes that it started and rejects. */
  readonly signal: AbortSignal;
}

/** `testing/bench/<name>/bench.ts` exports one as `bench`; `npm run bench -- <name>` runs it. */
export interface Bench {
  readonly name: string;
  /** The work, in a sentence. */
  readonly work: string;
  measure(options: BenchOptions): Promise<Measurement>;
}

/** Returns the middle value. Of an even number of samples it is the lower one, so that it is a measured value. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Returns the smallest sample that at least `share` of all samples do not exceed. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Returns whether the median meets the target; true without a target. */
export function holds({ samples, target }: Figure): boolean {
  if (!target) return true;
  return "atMost" in target ? median(samples) <= target.atMost : median(samples) >= target.atLeast;
}

/** Returns `≤ 2` or `≥ 2`. */
export function targetText(target: Target): string {
  return "atMost" in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}
