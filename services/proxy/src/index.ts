export type { Endpoint } from "./adapters/protected-endpoints.ts";
export { UpstreamConnections, type UpstreamConnectionsOptions } from "./adapters/upstream-connections.ts";
export { type PostAnswer, type PostTarget, UpstreamPoster } from "./adapters/upstream-poster.ts";
export { UpstreamProber } from "./adapters/upstream-prober.ts";
export type { BreakerState } from "./domain/circuit-breaker.ts";
export type { ProxiedApi, ProxiedApp, ProxiedRateLimit, ProxiedRoute, UpstreamTarget } from "./domain/proxied-app.ts";
export { type ReasonId, Refusal } from "./domain/refusal.ts";
export type { AddressRules } from "./domain/upstream-address.ts";
export { AddressPolicy } from "./domain/upstream-address.ts";
export type { AppKey, AppKeys, PermissionChanges, ProxiedApps } from "./ports.ts";
export { type AppProxy, createProxy, type ProxyDeps } from "./proxy.ts";
export {
  type CallerAuthenticator,
  type CallerAuthenticatorDeps,
  createCallerAuthenticator,
} from "./use-cases/authenticate-caller/authenticate-caller.ts";
export type { CredentialedRequest } from "./use-cases/authenticate-caller/credentialed-request.ts";
export { isValidRsaSignature } from "./use-cases/authenticate-caller/rsa-signature.ts";
export type { Standing } from "./use-cases/authenticate-caller/standing.ts";
export { createPermissionChecker, type PermissionChecker, type PermissionCheckerDeps } from "./use-cases/check-permission.ts";
export type { RequestContext } from "./use-cases/forward-request/exchange.ts";
export { originRights } from "./use-cases/origin-rights.ts";
