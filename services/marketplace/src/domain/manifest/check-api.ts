import type { HealthCheck, RateLimit, RouteSpec, WebApi } from "@appserver/contracts/proto/appserver/v2/api";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { quote } from "./check-identity.ts";
import { isPermission } from "./check-permissions.ts";
import { patternProblem } from "./route-pattern.ts";
import type { Violations } from "./violations.ts";

const methodPattern = /^[A-Z]{1,20}$/;
const headerPattern = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
export const apiLimits = { routes: 1000, timeoutMs: 600_000, bodyBytes: 1024 * 1024 * 1024, patternLength: 1000 } as const;

/** Specification §2.3, WebApi and what it holds, in either of its two forms. */
export function checkApi(manifest: AppManifest, violations: Violations): void {
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
  violations.check(
    api.routes.length <= apiLimits.routes,
    `${field}.routes`,
    `has ${api.routes.length} routes, at most ${apiLimits.routes} are accepted`,
  );
  for (const [index, route] of api.routes.slice(0, apiLimits.routes).entries())
    checkRoute(route, `${field}.routes[${index}]`, violations);
  checkScopes(api.requiredPermissions, `${field}.required_permissions`, violations);
  checkRateLimit(api.defaultRateLimit, `${field}.default_rate_limit`, violations);
  checkHealth(api.healthCheck, `${field}.health_check`, violations);
  if (api.openapiUrl !== undefined && api.openapiUrl !== "") {
    const ok = api.openapiUrl.startsWith("/") || isHttpUrl(api.openapiUrl);
    violations.check(
      ok,
      `${field}.openapi_url`,
      `must be a path or an http(s) URL without user info, got ${quote(api.openapiUrl)}`,
    );
  }
  const body = api.maxBodyBytes;
  if (body !== undefined) {
    violations.check(
      body > 0n && body <= BigInt(apiLimits.bodyBytes),
      `${field}.max_body_bytes`,
      `must be 1 to ${apiLimits.bodyBytes}, got ${body}`,
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
  violations.check(
    !path.split("/").some((segment) => segment === "." || segment === ".."),
    field,
    "must not hold dot segments",
  );
  const own = `/api/apps/${appName}`;
  if (path.startsWith("/api/apps/")) {
    violations.check(
      path === own || path.startsWith(`${own}/`),
      field,
      `must lie under ${own} when it is absolute, got ${quote(path)}`,
    );
  }
}

function checkUpstream(url: string, field: string, violations: Violations): void {
  violations.check(
    isHttpUrl(url),
    field,
    `must be an http or https URL without user info, query or fragment, got ${quote(url)}`,
  );
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  );
}

function checkTimeout(timeout: number | undefined, field: string, violations: Violations): void {
  if (timeout === undefined) return;
  violations.check(timeout > 0 && timeout <= apiLimits.timeoutMs, field, `must be 1 to ${apiLimits.timeoutMs}, got ${timeout}`);
}

function checkRoute(route: RouteSpec, field: string, violations: Violations): void {
  const both = route.pattern !== "" && (route.path ?? "") !== "" && route.pattern !== route.path;
  violations.check(!both, `${field}.path`, "gives another pattern than `pattern`; use one of the two");
  const pattern = route.pattern === "" ? (route.path ?? "") : route.pattern;
  const problem = patternProblem(pattern);
  violations.check(problem === undefined, `${field}.pattern`, problem ?? "");
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

function checkScopes(scopes: readonly string[], field: string, violations: Violations): void {
  for (const [index, scope] of scopes.entries()) {
    violations.check(isPermission(scope), `${field}[${index}]`, `must be <resource>:<action>, got ${quote(scope)}`);
  }
}

const keyPatterns = ["user:{user_id}", "app:{app_name}", "ip:{remote_addr}", "global"];

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
      keyPatterns.includes(limit.keyPattern),
      `${field}.key_pattern`,
      `must be one of ${keyPatterns.join(", ")}, got ${quote(limit.keyPattern)}`,
    );
  }
}

function checkHealth(health: HealthCheck | undefined, field: string, violations: Violations): void {
  if (!health) return;
  violations.check(
    /^\/[^\s#\\]*$/.test(health.path) && !health.path.startsWith("//"),
    `${field}.path`,
    `must start with one "/", got ${quote(health.path)}`,
  );
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
