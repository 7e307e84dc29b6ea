import { type Clock, isPromise, Rejection } from "@appserver/kernel";
import { type CompiledLimit, limitKey, windowNames } from "../../domain/limits.ts";
import type { Cache } from "../../ports.ts";
import type { ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";

type Outcome = Awaited<ReturnType<Cache["slidingWindow"]>>;

/** Counts the request against the limit of its route (docs/interface/proxy.md#rate-limits). */
export function limitRate(cache: Cache, clock: Clock): Step {
  return (proxied) => {
    const { route } = proxied.match;
    const { limit } = route;
    if (!limit) return undefined;
    const key = limitKey(limit.keyPattern, route.id, proxied.caller, proxied.context.remoteAddress);
    const outcome = cache.slidingWindow(`limit:${key}`, limit.windows);
    if (isPromise(outcome)) return outcome.then((known) => apply(proxied, limit, known, clock));
    return apply(proxied, limit, outcome, clock);
  };
}

function apply(proxied: ProxiedRequest, limit: CompiledLimit, outcome: Outcome, clock: Clock): void {
  const window = limit.windows[outcome.window] ?? limit.windows[0];
  if (!window) return;
  const remaining = outcome.allowed ? outcome.remaining : 0;
  const resetSeconds = Math.max(1, Math.ceil(outcome.resetMs / 1_000));
  proxied.limitHeaders = [
    "X-RateLimit-Limit",
    String(window.limit),
    "X-RateLimit-Remaining",
    String(remaining),
    "X-RateLimit-Reset",
    String(Math.ceil((clock.now() + outcome.resetMs) / 1_000)),
    "RateLimit-Policy",
    limit.policy,
    "RateLimit",
    `"${windowNames[outcome.window]}";r=${remaining};t=${resetSeconds}`,
  ];
  if (outcome.allowed) return;
  throw new Rejection("RATE_LIMIT_EXCEEDED", "rate_limited", "Too many requests.", {
    retryAfterSeconds: resetSeconds,
    details: { limit: window.limit, window: window.windowMs / 1_000, retry_after: resetSeconds },
  });
}
