/** Why an installed app gets no requests (docs/interface/proxy.md#paths). */
export interface Unavailability {
  /** Shown to callers as `reason`. */
  readonly unavailable: string;
  readonly retryAfterSeconds?: number;
  /** Whether requests wait until the app changes (docs/interface/proxy.md#replaced-apps). */
  readonly isBuffered?: boolean;
  /** Whether the app is asleep: a request that may starts it, and waits (docs/interface/sleep.md). */
  readonly isAsleep?: boolean;
}

/** The reason of an app that an operator has disabled (docs/interface/states.md#disabled-apps). */
export const disabledReason = "disabled";

/** The reason of an app that is asleep, for what does not wake it. */
export const asleepReason = "asleep";
