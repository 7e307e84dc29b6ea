export { type CircuitEventsDeps, createCircuitEvents } from "./adapters/outbox-circuit-events.ts";
export type { BreakerState } from "./domain/circuit-breaker.ts";
export type { ProxiedApp } from "./domain/proxied-app.ts";
export type { Callers, CircuitChange, CircuitEvents, OriginRights, ProxiedApps, Upstreams } from "./ports.ts";
export { type AppProxy, createProxy, type ProxyDeps } from "./proxy.ts";
export type { RequestContext } from "./use-cases/forward-request/exchange.ts";
export type { DrainState } from "./workers/retired-upstreams.ts";
