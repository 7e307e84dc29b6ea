import { backoffMs } from "@appserver/kernel";

/** Limits of automatic restarts (docs/interface/containers.md#restarts). */
export interface RestartLimits {
  readonly maxRestarts: number;
}

export interface RestartHistory {
  /** Epoch milliseconds of the restarts so far. */
  readonly restarts: readonly number[];
  readonly healthySince?: Date | undefined;
}

export type RestartDecision =
  | { readonly kind: "restart"; readonly delayMs: number; readonly restarts: readonly number[] }
  | { readonly kind: "exhausted"; readonly message: string };

const firstDelayMs = 10_000;
/** Maximum back-off. */
export const maxDelayMs = 300_000;
const windowMinutes = 60;
const windowMs = windowMinutes * 60_000;
const resetAfterHealthyMs = 600_000;

/**
 * Returns whether one more failure causes a restart, and after which delay: 10 s, doubling to 5 min; at most
 * `maxRestarts` in 60 minutes; the count restarts after 10 healthy minutes.
 */
export function decideRestart(history: RestartHistory, now: number, limits: RestartLimits): RestartDecision {
  const recent = recentRestarts(history, now);
  if (recent.length >= limits.maxRestarts) {
    return { kind: "exhausted", message: exhaustedMessage(recent.length) };
  }
  return {
    kind: "restart",
    delayMs: restartDelayMs(recent.length + 1),
    restarts: [...recent, now],
  };
}

/** Returns the back-off before the last of so many recent restarts. */
export function restartDelayMs(count: number): number {
  return backoffMs(count, { firstMs: firstDelayMs, maxMs: maxDelayMs });
}

/**
 * Returns the history with restarts that the engine has done already. `exhausted`: why there were too many of them, for people.
 */
export function recordRestarts(
  history: RestartHistory,
  count: number,
  now: number,
  { maxRestarts }: RestartLimits,
): { readonly restarts: readonly number[]; readonly exhausted: string | undefined } {
  // More of them would change nothing.
  const added = new Array<number>(Math.min(count, maxRestarts + 1)).fill(now);
  const restarts = [...recentRestarts(history, now), ...added];
  return { restarts, exhausted: restarts.length > maxRestarts ? exhaustedMessage(restarts.length) : undefined };
}

function exhaustedMessage(count: number): string {
  return `restarted ${count} times within ${windowMinutes} minutes`;
}

function recentRestarts({ restarts, healthySince }: RestartHistory, now: number): readonly number[] {
  if (healthySince !== undefined && now - healthySince.getTime() >= resetAfterHealthyMs) return [];
  return restarts.filter((at) => now - at < windowMs);
}
