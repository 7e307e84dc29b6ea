import type { Hook } from "@appserver/sdk";

/** The app whose hooks are triggered. */
export const sourceApp = "com.example.source";
export const hookName = `${sourceApp}.happened`;

/** Apps that acknowledge each hook over a stream. */
export const streamingApps = ["com.example.one", "com.example.two", "com.example.three", "com.example.four"];
/** An app that acknowledges each hook, posted to its backend. */
export const pushedApp = "com.example.five";
export const pushPath = "/hooks";
export const healthyApps: readonly string[] = [...streamingApps, pushedApp];
/** An app that refuses every hook. */
export const poisonedApp = "com.example.poisoned";
/** An app that never responds. */
export const stuckApp = "com.example.stuck";

/** Returns the line that a subscriber writes for a hook. */
export function lineOf({ id, data, attempt, orderingKey, triggeredAt }: Hook): Line {
  const { number } = data as { number: number };
  return { eventId: id, key: orderingKey, number, attempt, latencyMs: Date.now() - triggeredAt.getTime() };
}

/** One hook as a subscriber recorded it, before it acknowledged it. */
export interface Line {
  readonly eventId: string;
  readonly key: string | undefined;
  readonly number: number;
  /** Milliseconds from the trigger to the handler, by the wall clock of one machine. */
  readonly latencyMs: number;
  readonly attempt: number;
}
