import type { Tuple } from "@appserver/contracts/authorization";
import type { TrustEntry } from "./trust.ts";

/** What a platform does with an app. */
export type AppTarget = "REGISTERED" | "INSTALLED" | "DISABLED";

/** An approved permission. `of`: the app that owns it; undefined for one of the platform. */
export interface Approval {
  readonly scope: string;
  readonly of: string | undefined;
}

export interface PausedSchedule {
  readonly activity: string;
  readonly key: string;
}

/** What an operator decides about an app. */
export interface AppEntry {
  readonly name: string;
  readonly version: string;
  /** Digest of the manifest, hex. */
  readonly manifest: string;
  /** SHA-256 of the pinned certificate, hex. Undefined: any. */
  readonly certificate: string | undefined;
  readonly state: AppTarget;
  /** Values that are set, by key. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Secrets that are set, by key: each with the variable that has its value for `apply`. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly approvals: readonly Approval[];
  readonly pausedSchedules: readonly PausedSchedule[];
}

/** A role, a level of an app or a permission. */
export type AccountGrant = Pick<Tuple, "relation" | "object">;

export interface AccountEntry {
  readonly name: string;
  readonly grants: readonly AccountGrant[];
}

/** What a file of a platform says, each list in the order of its names. */
export interface PlatformState {
  readonly apps: readonly AppEntry[];
  readonly accounts: readonly AccountEntry[];
  readonly trusts: readonly TrustEntry[];
  readonly grants: readonly Tuple[];
}

/** `notes:read of com.example.notes` */
export function approvalText({ scope, of }: Approval): string {
  return of === undefined ? scope : `${scope} of ${of}`;
}

/** `nightly-count`, or `nightly-count (key second)` */
export function scheduleText({ activity, key }: PausedSchedule): string {
  return key === "" ? activity : `${activity} (key ${key})`;
}

/** `user:alice viewer app:com.example.notes` */
export function tupleText({ user, relation, object }: Tuple): string {
  return `${user} ${relation} ${object}`;
}
