export type { BreakerState } from "./domain/circuit-breaker.ts";
export type { ProxiedApi, ProxiedApp, ProxiedRateLimit, ProxiedRoute } from "./domain/proxied-app.ts";
export { disabledReason } from "./domain/proxied-app.ts";
export type { Callers, OriginRights, ProxiedApps, Upstreams } from "./ports.ts";
export { type AppProxy, createProxy, type ProxyDeps } from "./proxy.ts";
export type { RequestContext } from "./use-cases/forward-request/exchange.ts";
export type { DrainState } from "./workers/retired-upstreams.ts";
