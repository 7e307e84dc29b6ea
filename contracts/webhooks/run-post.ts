/** Body of a run that the platform posts to its app (docs/interface/activities.md#runs-over-http). */
export interface RunPostBody {
  /** Id of the run, the same in every attempt. */
  readonly id: string;
  /** Name of the activity. */
  readonly activity: string;
  /** 1 for the first attempt. A later report names it. */
  readonly attempt: number;
  /** Time of the attempt in milliseconds. */
  readonly timeoutMs: number;
  /** Null if the run has none. */
  readonly input: unknown;
}
