import type { RateLimit } from "@appserver/contracts/manifest";
import { type Caller, subjectOf } from "@appserver/kernel";

/** At most `limit` hits in any `windowMs`. */
export interface LimitWindow {
  readonly limit: number;
  readonly windowMs: number;
}

/** A rate limit with everything computed that does not depend on a request. */
export interface CompiledLimit {
  readonly windows: readonly LimitWindow[];
  readonly keyPattern: RateLimit["keyPattern"];
  /** `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  readonly policy: string;
}

/** Window names in `RateLimit` headers, by index. */
export const windowNames = ["quota", "burst"] as const;

/** Compiles a declared limit (docs/interface/manifest.md#rate-limits). Returns undefined if nothing is limited. */
export function compileLimit(limit: RateLimit | undefined): CompiledLimit | undefined {
  if (!limit || limit.limit <= 0 || limit.windowSeconds <= 0) return undefined;
  const windows = [{ limit: limit.limit, windowMs: limit.windowSeconds * 1_000 }];
  if (limit.burst !== undefined && limit.burst > 0) windows.push({ limit: limit.burst, windowMs: 1_000 });
  const policies = windows.map((window, index) => `"${windowNames[index]}";q=${window.limit};w=${window.windowMs / 1_000}`);
  return { windows, keyPattern: limit.keyPattern, policy: policies.join(", ") };
}

/**
 * Returns the counter key of a request. Counters are per route: `{subject}:route:{id}`, and `route:{id}` for all callers
 * without a subject. A key pattern counts callers of its own kind separately, and all other callers together.
 */
export function limitKey(pattern: RateLimit["keyPattern"], routeId: string, caller: Caller, remoteAddress: string): string {
  const subject = countedBy[pattern](caller, remoteAddress);
  return subject === undefined ? `route:${routeId}` : `${subject}:route:${routeId}`;
}

const countedBy: Readonly<Record<RateLimit["keyPattern"], (caller: Caller, remoteAddress: string) => string | undefined>> = {
  caller: subjectOf,
  global: () => undefined,
  "ip:{remote_addr}": (_, remoteAddress) => `ip:${remoteAddress}`,
  "user:{user_id}": (caller) => (caller.kind === "user" ? subjectOf(caller) : undefined),
  "app:{app_name}": (caller) => (caller.kind === "app" ? subjectOf(caller) : undefined),
};
