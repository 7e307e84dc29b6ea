import { isRateLimitKey, patternOf, rateLimitKeys } from "@appserver/contracts/manifest";
import {
  apiPath,
  apiPrefix,
  httpUrlProblem,
  normalisePath,
  parseRoutePattern,
  problemOf,
  quote,
  regexOfPattern,
  upstreamPathProblem,
} from "@appserver/contracts/patterns";
import type { HealthCheck, RateLimit, RouteSpec, WebApi } from "@appserver/contracts/proto/appserver/v2/api";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { checkPermission } from "./check-permissions.ts";
import type { ExpressionBudget } from "./expression-budget.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

const methodPattern = /^[A-Z]{1,20}$/;
const headerPattern = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** Checks a WebApi and its parts, in both forms (docs/interface/manifest.md#web-api). */
export function checkApi(manifest: AppManifest, budget: ExpressionBudget, violations: Violations): void {
  const api = manifest.webApp?.api;
  if (!api) return;
  const field = "web_app.api";
  checkBasePath(manifest.name, api, violations);
  checkUpstream(api.upstreamBaseUrl, `${field}.upstream_base_url`, violations);
  checkTimeout(api.timeoutMs, `${field}.timeout_ms`, violations);
  for (const [index, header] of api.forwardHeaders.entries()) {
    violations.check(
      headerPattern.test(header),
      `${field}.forward_headers[${index}]`,
      `must be a lowercase header name, got ${quote(header)}`,
    );
  }
  for (const [index, route] of api.routes.entries()) checkRoute(route, `${field}.routes[${index}]`, budget, violations);
  checkScopes(api.requiredPermissions, `${field}.required_permissions`, violations);
  checkRateLimit(api.defaultRateLimit, `${field}.default_rate_limit`, violations);
  checkHealth(api.healthCheck, `${field}.health_check`, violations);
  const { openapiUrl = "" } = api;
  if (openapiUrl !== "" && checkAddressLength(openapiUrl, `${field}.openapi_url`, violations)) {
    const problem = openapiUrl.startsWith("/") ? upstreamPathProblem(openapiUrl) : httpUrlProblem(openapiUrl, { query: true });
    violations.none(problem, `${field}.openapi_url`);
  }
  const body = api.maxBodyBytes;
  if (body !== undefined) {
    violations.check(
      body > 0n && body <= BigInt(manifestLimits.bodyBytes),
      `${field}.max_body_bytes`,
      `must be 1 to ${manifestLimits.bodyBytes}, got ${body}`,
    );
  }
}

function checkBasePath(appName: string, api: WebApi, violations: Violations): void {
  const path = api.basePath;
  const field = "web_app.api.base_path";
  if (
    !violations.check(
      /^\/[A-Za-z0-9._~!$&'()*+,;=:@/-]*$/.test(path),
      field,
      `must start with "/" and hold path characters only, got ${quote(path)}`,
    )
  )
    return;
  violations.none(
    problemOf(() => normalisePath(path)),
    field,
  );
  const own = apiPath(appName);
  if (path.startsWith(apiPrefix)) {
    violations.check(
      path === own || path.startsWith(`${own}/`),
      field,
      `must lie under ${own} when it is absolute, got ${quote(path)}`,
    );
  }
}

function checkUpstream(url: string, field: string, violations: Violations): void {
  if (checkAddressLength(url, field, violations)) violations.none(httpUrlProblem(url), field);
}

/**
 * Adds a violation unless `path` is a valid path for the platform's own calls to the backend. An empty path means the default,
 * if there is one.
 */
export function checkUpstreamPath(path: string, field: string, violations: Violations): void {
  if (checkAddressLength(path, field, violations)) violations.none(upstreamPathProblem(path), field);
}

function checkAddressLength(text: string, field: string, violations: Violations): boolean {
  const { addressLength } = manifestLimits;
  return violations.check(
    text.length <= addressLength,
    field,
    `has ${text.length} characters, at most ${addressLength} are accepted`,
  );
}

function checkTimeout(timeout: number | undefined, field: string, violations: Violations): void {
  if (timeout === undefined) return;
  violations.check(
    timeout > 0 && timeout <= manifestLimits.timeoutMs,
    field,
    `must be 1 to ${manifestLimits.timeoutMs}, got ${timeout}`,
  );
}

function checkRoute(route: RouteSpec, field: string, budget: ExpressionBudget, violations: Violations): void {
  const both = route.pattern !== "" && (route.path ?? "") !== "" && route.pattern !== route.path;
  violations.check(!both, `${field}.path`, "gives another pattern than `pattern`; use one of the two");
  checkPattern(patternOf(route), `${field}.pattern`, budget, violations);
  violations.check(route.methods.length > 0, `${field}.methods`, "needs at least one method");
  for (const [index, method] of route.methods.entries()) {
    violations.check(
      methodPattern.test(method) && method !== "CONNECT" && method !== "TRACE",
      `${field}.methods[${index}]`,
      `must be an HTTP method in upper case, got ${quote(method)}`,
    );
  }
  checkScopes(route.scopes, `${field}.scopes`, violations);
  checkScopes(route.requiredPermissions, `${field}.required_permissions`, violations);
  checkTimeout(route.timeoutMs, `${field}.timeout_ms`, violations);
  checkRateLimit(route.rateLimit, `${field}.rate_limit`, violations);
}

function checkPattern(text: string, field: string, budget: ExpressionBudget, violations: Violations): void {
  const expression = regexOfPattern(text) ?? "";
  // An expression that the budget does not cover is not compiled.
  if (expression !== "" && !budget.take(expression, field, violations)) return;
  const pattern = parseRoutePattern(text);
  if ("problem" in pattern) violations.add(field, pattern.problem);
}

function checkScopes(scopes: readonly string[], field: string, violations: Violations): void {
  for (const [index, scope] of scopes.entries()) checkPermission(scope, `${field}[${index}]`, violations);
}

function checkRateLimit(limit: RateLimit | undefined, field: string, violations: Violations): void {
  if (!limit) return;
  const manifestForm = limit.rpm !== undefined || limit.burst !== undefined;
  const proxyForm = limit.requests !== undefined || limit.windowSeconds !== undefined;
  violations.check(manifestForm !== proxyForm, field, "needs either rpm (and burst) or requests with window_seconds");
  for (const [name, value] of Object.entries({ rpm: limit.rpm, burst: limit.burst, requests: limit.requests })) {
    violations.check(
      value === undefined || (value > 0 && value <= 1_000_000),
      `${field}.${name}`,
      `must be 1 to 1000000, got ${value}`,
    );
  }
  const seconds = limit.windowSeconds;
  violations.check(
    seconds === undefined || (seconds > 0 && seconds <= 86_400),
    `${field}.window_seconds`,
    `must be 1 to 86400, got ${seconds}`,
  );
  if (proxyForm)
    violations.check(limit.requests !== undefined && seconds !== undefined, field, "needs both requests and window_seconds");
  if (limit.keyPattern !== undefined && limit.keyPattern !== "") {
    violations.check(
      isRateLimitKey(limit.keyPattern),
      `${field}.key_pattern`,
      `must be one of ${rateLimitKeys.join(", ")}, got ${quote(limit.keyPattern)}`,
    );
  }
}

function checkHealth(health: HealthCheck | undefined, field: string, violations: Violations): void {
  if (!health) return;
  checkUpstreamPath(health.path, `${field}.path`, violations);
  const ranges: readonly [string, number | undefined, number][] = [
    ["interval_seconds", health.intervalSeconds, 3600],
    ["timeout_ms", health.timeoutMs, 60_000],
    ["unhealthy_threshold", health.unhealthyThreshold, 100],
  ];
  for (const [name, value, most] of ranges) {
    violations.check(
      value === undefined || (value > 0 && value <= most),
      `${field}.${name}`,
      `must be 1 to ${most}, got ${value}`,
    );
  }
}
