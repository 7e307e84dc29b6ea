/** The app whose hooks are triggered. */
export const sourceApp = "com.example.source";
export const hookName = `${sourceApp}.happened`;

/** Apps that take care of each hook. */
export const healthyApps = ["com.example.one", "com.example.two", "com.example.three", "com.example.four", "com.example.five"];
/** Refuses every hook. */
export const poisonedApp = "com.example.poisoned";
/** Never answers. */
export const stuckApp = "com.example.stuck";

/** One hook as a subscriber wrote it down, before it acknowledged it. */
export interface Line {
  readonly eventId: string;
  readonly key: string | undefined;
  readonly number: number;
  /** From the trigger to the handler, by the wall clock of one machine. */
  readonly latencyMs: number;
  readonly attempt: number;
}
