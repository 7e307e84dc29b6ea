/** What the API sends. The page uses the same types. */
export interface Service {
  readonly id: number;
  readonly name: string;
  /** Only for those who manage services. */
  readonly url?: string;
  /** Absent before the first check. */
  readonly last?: Check;
  /** Of the checks of the last 24 hours, from 0 to 1. Absent without one. */
  readonly share?: number;
}

export interface Check {
  /** ISO 8601, UTC. */
  readonly checkedAt: string;
  readonly isUp: boolean;
  /** Milliseconds until the head of the response, or the failure. */
  readonly ms: number;
  readonly problem?: string;
}

/** An hour of the last 24. */
export interface Hour {
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly checks: number;
  readonly failures: number;
}

export interface ServiceHistory extends Service {
  /** The newest first. */
  readonly hours: readonly Hour[];
  /** The last checks that found another state than the check before, the newest first. */
  readonly changes: readonly Check[];
}

export const maxName = 60;
export const maxUrl = 500;
export const maxServices = 50;
export const maxChanges = 20;

/** May add and remove services, and see their addresses. */
export const managePermission = "com.example.status:manage";
