/** Sizes and times of activities (docs/interface/limits.md#activities). */
export const limits = {
  /** JSON text, bytes. */
  inputBytes: 3 * 1024 * 1024,
  outputBytes: 10 * 1024 * 1024,
  stageLength: 200,
  /** Maximum length of a worker's error message; the rest is cut off. */
  messageLength: 4_000,
  keyLength: 255,
  timeoutMs: 24 * 60 * 60 * 1000,
  retries: 100,
  /** Maximum schedules of one app, without those of its manifest. */
  schedules: 1_000,
  /** Maximum time in the future for which a run may be scheduled. */
  aheadMs: 366 * 24 * 60 * 60 * 1000,
} as const;

/** Times that tests shorten. */
export interface ActivityTimes {
  /** Interval of a worker's heartbeats. */
  readonly heartbeatMs: number;
  /** Time to reconnect for a worker whose stream broke, or whose replica or database was unavailable. */
  readonly reconnectMs: number;
  /** Time for a worker to stop after a cancel; after that the run is taken from it. */
  readonly cancelMs: number;
  /** A run that no worker takes for this long is EXPIRED. */
  readonly waitMs: number;
  /** How long finished runs are kept. */
  readonly keepMs: number;
  /** Interval of the check for due runs, lost workers and schedules. */
  readonly tickMs: number;
}

const second = 1000;
const day = 24 * 60 * 60 * second;

export const defaultTimes: ActivityTimes = {
  heartbeatMs: 30 * second,
  reconnectMs: 15 * second,
  cancelMs: 30 * second,
  waitMs: 14 * day,
  keepMs: 7 * day,
  tickMs: 1 * second,
};

/** Returns how long a worker may be silent: two missed heartbeats plus some network delay. */
export function leaseMs(times: Pick<ActivityTimes, "heartbeatMs">): number {
  return times.heartbeatMs * 2 + Math.min(1000, times.heartbeatMs / 10);
}
