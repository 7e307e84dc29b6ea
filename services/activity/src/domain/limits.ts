/** Sizes and times of activities (docs/interface/limits.md#activities). */
export const limits = {
  /** JSON text, bytes. */
  inputBytes: 3 * 1024 * 1024,
  outputBytes: 10 * 1024 * 1024,
  stageLength: 200,
  /** Of a worker's error message; the rest is cut off. */
  messageLength: 4_000,
  keyLength: 255,
  timeoutMs: 24 * 60 * 60 * 1000,
  retries: 100,
  /** Of one app, without those of its manifest. */
  schedules: 1_000,
  /** How far ahead a run may be scheduled. */
  aheadMs: 366 * 24 * 60 * 60 * 1000,
} as const;

/** Times that tests shorten. */
export interface ActivityTimes {
  /** How often a worker is heard of. */
  readonly heartbeatMs: number;
  /** A worker whose stream broke, or whose replica or database was away, has so long to come back. */
  readonly reconnectMs: number;
  /** A worker has so long to stop after a cancel before the run is taken from it. */
  readonly cancelMs: number;
  /** A run that no worker takes is EXPIRED after so long. */
  readonly waitMs: number;
  /** Finished runs are kept so long. */
  readonly keepMs: number;
  /** How often due runs, lost workers and schedules are looked for. */
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

/** How long a worker may be silent: two missed heartbeats, and a little for the way. */
export function leaseMs(times: Pick<ActivityTimes, "heartbeatMs">): number {
  return times.heartbeatMs * 2 + Math.min(1000, times.heartbeatMs / 10);
}
