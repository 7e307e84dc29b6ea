export {
  type AppApi,
  type AppRoute,
  appApi,
  type DeclaredHealthCheck,
  declaredScopes,
  patternOf,
  type RateLimit,
  servedRoutes,
  unlimitedRoute,
} from "./app-api.ts";
export { canonicalManifest, manifestDigest } from "./canonical-manifest.ts";
export { isRateLimitKey, type RateLimitKey, rateLimitKeys } from "./rate-limit-keys.ts";
export { hasExclusiveStorage } from "./storage.ts";
export { asleepReason, disabledReason, type Unavailability } from "./unavailability.ts";
