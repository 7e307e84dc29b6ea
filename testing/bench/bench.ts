/** One figure of a bench, measured once a round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly samples: readonly number[];
  /** What the median is held to (design/performance "Targets"). */
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
  /** A ratio against a peer of the same run, which other load hardly moves: compared with the stored baseline. */
  readonly isRatio?: boolean;
}

export interface Measurement {
  readonly figures: readonly Figure[];
  /** What a reader must know to judge the figures. */
  readonly notes: readonly string[];
}

export interface BenchOptions {
  /** Interleaved repetitions. */
  readonly rounds: number;
  /** Says what is going on. */
  readonly log: (line: string) => void;
  /** Aborted by Ctrl-C: stop what was started, and reject. */
  readonly signal: AbortSignal;
}

/** `testing/bench/<name>/bench.ts` exports one as `bench`; `npm run bench -- <name>` runs it. */
export interface Bench {
  readonly name: string;
  /** The work, in a sentence. */
  readonly work: string;
  measure(options: BenchOptions): Promise<Measurement>;
}

/** Middle value; of an even number the lower of the two, so that it was really measured. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The smallest sample that `share` of all are not above. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Whether the median keeps to the target; true where there is none. */
export function holds({ samples, target }: Figure): boolean {
  if (!target) return true;
  return "atMost" in target ? median(samples) <= target.atMost : median(samples) >= target.atLeast;
}
