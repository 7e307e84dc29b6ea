import { isRateLimitKey, type RateLimitKey } from "@appserver/contracts/manifest";
import { type Caller, subjectOf } from "@appserver/kernel";
import type { ProxiedRateLimit } from "./proxied-app.ts";

/** At most `limit` hits in any `windowMs`. */
export interface LimitWindow {
  readonly limit: number;
  readonly windowMs: number;
}

/** A rate limit with everything computed that does not depend on a request. */
export interface CompiledLimit {
  readonly windows: readonly LimitWindow[];
  readonly keyPattern: string | undefined;
  /** `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  readonly policy: string;
}

/** Window names in `RateLimit` headers, by index. */
export const windowNames = ["quota", "burst"] as const;

/** Compiles a declared limit (docs/interface/manifest.md#rate-limits). Returns undefined if nothing is limited. */
export function compileLimit(limit: ProxiedRateLimit | undefined): CompiledLimit | undefined {
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
export function limitKey(pattern: string | undefined, routeId: string, caller: Caller, remoteAddress: string): string {
  const route = `route:${routeId}`;
  const subject = countedSubject(pattern, caller, remoteAddress);
  return subject === undefined ? route : `${subject}:${route}`;
}

function countedSubject(pattern: string | undefined, caller: Caller, remoteAddress: string): string | undefined {
  if (pattern === undefined || !isRateLimitKey(pattern)) return subjectOf(caller);
  return countedBy[pattern](caller, remoteAddress);
}

const countedBy: Readonly<Record<RateLimitKey, (caller: Caller, remoteAddress: string) => string | undefined>> = {
  global: () => undefined,
  "ip:{remote_addr}": (_, remoteAddress) => `ip:${remoteAddress}`,
  "user:{user_id}": (caller) => (caller.kind === "user" ? subjectOf(caller) : undefined),
  "app:{app_name}": (caller) => (caller.kind === "app" ? subjectOf(caller) : undefined),
};
