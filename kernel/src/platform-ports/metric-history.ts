/** What a process counted within one interval. */
export interface MetricSample {
  /** Undefined for what belongs to the process itself. */
  readonly appName: string | undefined;
  /** Id of a route of the app; "" for the whole app. */
  readonly route: string;
  readonly name: string;
  /** A count, or the value at the end of the interval. */
  readonly value: number;
  /** The number of durations up to each of {@link durationBounds}, and of the longer ones. */
  readonly durations?: readonly number[];
}

/** Samples of several processes and intervals, added up. */
export interface MetricTotal extends MetricSample {
  readonly at: Date;
}

/** The last value that a process stored. */
export interface ProcessValue {
  readonly process: string;
  readonly name: string;
  /** As in {@link MetricSample}. */
  readonly route: string;
  readonly value: number;
  readonly at: Date;
}

export interface MetricWindow {
  readonly since: Date;
  /** Undefined: all apps. */
  readonly appName?: string | undefined;
}

/** What every process of the platform counted within the last hour. */
export interface MetricHistory {
  /** Stores the samples of one interval of a process. */
  append(process: string, samples: readonly MetricSample[]): Promise<void>;
  /** Returns the totals by app, route and name. `at` is the time of the last sample. */
  totals(window: MetricWindow): Promise<readonly MetricTotal[]>;
  /** Returns the totals of some names by time, in steps, without app and route. `at` is the start of the step. */
  overTime(window: MetricWindow, names: readonly string[], stepMs: number): Promise<readonly MetricTotal[]>;
  /** Returns the last values of each process that stored any within the last minute. */
  processes(): Promise<readonly ProcessValue[]>;
}

/** Upper bounds of durations in seconds, ascending. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** Counts something between samples. */
export interface SampleSource {
  /** Returns what was counted since the last call. */
  takeSamples(): readonly MetricSample[];
}

/** Names of samples of requests to apps. */
export const requestSamples = { requests: "requests", errors: "errors", refused: "refused", limited: "limited" } as const;
