import { type Clock, isPromise, Refusal } from "@appserver/kernel";
import { type CompiledLimit, limitKey, windowNames } from "../../domain/limits.ts";
import type { Cache } from "../../ports.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

type Outcome = Awaited<ReturnType<Cache["slidingWindow"]>>;

/** Counts the request against the limit of its route (docs/interface/proxy.md#rate-limits). */
export function limitRate(cache: Cache, clock: Clock): Step {
  return (exchange) => {
    const { route } = exchange.match;
    const { limit } = route;
    if (!limit) return undefined;
    const key = limitKey(limit.keyPattern, route.id, exchange.caller, exchange.context.remoteAddress);
    const outcome = cache.slidingWindow(`limit:${key}`, limit.windows);
    if (isPromise(outcome)) return outcome.then((known) => apply(exchange, limit, known, clock));
    return apply(exchange, limit, outcome, clock);
  };
}

function apply(exchange: Exchange, limit: CompiledLimit, outcome: Outcome, clock: Clock): void {
  const window = limit.windows[outcome.window] ?? limit.windows[0];
  if (!window) return;
  const remaining = outcome.allowed ? outcome.remaining : 0;
  const resetSeconds = Math.max(1, Math.ceil(outcome.resetMs / 1_000));
  exchange.limitHeaders = [
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
  throw new Refusal("RATE_LIMIT_EXCEEDED", "rate_limited", "Too many requests.", {
    retryAfterSeconds: resetSeconds,
    details: { limit: window.limit, window: window.windowMs / 1_000, retry_after: resetSeconds },
  });
}
