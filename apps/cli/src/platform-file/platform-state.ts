import type { Tuple } from "@appserver/contracts/authorization";

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

/** Returns JSON with the keys of every object in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

/** Returns a value with the keys of every object in order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** Compares by code units: the order is the same on every machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function byText<T>(textOf: (each: T) => string): (a: T, b: T) => number {
  return (a, b) => compareTexts(textOf(a), textOf(b));
}
