import { isOwnPath } from "@appserver/contracts/names";
import { characterCount, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type NavigationRoute, type UI, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { checkEntry, isMode } from "./check-entry.ts";
import { checkPermission } from "./check-permissions.ts";
import { iconProblem, isBrowserPath } from "./icon-problem.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Segments of lower-case letters, digits and marks: nothing that a router or a browser could read as another path. */
const routeBaseForm = /^(?:\/[a-z0-9_~-][a-z0-9._~-]*)+\/?$/;

/** Checks the UI (docs/interface/manifest.md#ui) and its navigation (docs/interface/manifest.md#navigation). */
export function checkUi(manifest: AppManifest, violations: Violations): void {
  const ui = manifest.webApp?.ui;
  if (!ui) return;
  const field = "web_app.ui";
  violations.check(isMode(ui.mode), `${field}.mode`, "must be FEDERATION, WEB_COMPONENT or ESM_COMPONENT");
  checkEntry(manifest, ui, violations);
  const exposed = ui.exposedModule ?? "";
  violations.check(
    ui.mode !== UIMode.UI_MODE_WEB_COMPONENT || exposed === "",
    `${field}.exposed_module`,
    "is not used with WEB_COMPONENT and must be absent",
  );
  checkRouteBase(ui, violations);
  checkNavigation(ui.navigation, `${field}.navigation`, 1, { manifest, base: ui.routeBase }, violations);
}

function checkRouteBase({ routeBase }: UI, violations: Violations): void {
  const field = "web_app.ui.route_base";
  const form = `must have segments of lower-case letters, digits and ._~-, each after one "/", got ${quote(routeBase)}`;
  const isForm = routeBase.length <= manifestLimits.addressLength && routeBaseForm.test(routeBase);
  if (!violations.check(isForm || isOwnPath(routeBase), field, form)) return;
  violations.check(!isOwnPath(routeBase), field, `${quote(routeBase)} is one of the platform's own paths`);
}

interface NavigationOwner {
  readonly manifest: AppManifest;
  /** The route base. */
  readonly base: string;
}

function checkNavigation(
  routes: readonly NavigationRoute[],
  field: string,
  depth: number,
  { manifest, base }: NavigationOwner,
  violations: Violations,
): void {
  if (routes.length === 0) return;
  if (depth > manifestLimits.navigationDepth) {
    violations.add(field, `is nested ${depth} levels deep, at most ${manifestLimits.navigationDepth} are accepted`);
    return;
  }
  for (const [index, route] of routes.entries()) {
    const at = `${field}[${index}]`;
    violations.check(
      route.title !== "" && characterCount(route.title) <= manifestLimits.navigationTitleLength,
      `${at}.title`,
      `must have 1 to ${manifestLimits.navigationTitleLength} characters`,
    );
    checkHref(route.href, `${at}.href`, base, violations);
    violations.none(iconProblem(route.icon ?? "", manifest), `${at}.icon`);
    for (const [i, permission] of route.requiredPermissions.entries())
      checkPermission(permission, `${at}.required_permissions[${i}]`, violations);
    checkNavigation(route.children, `${at}.children`, depth + 1, { manifest, base }, violations);
  }
}

function checkHref(href: string, field: string, base: string, violations: Violations): void {
  const form = `must start with one "/" and hold no backslash, space or control character, got ${quote(href)}`;
  if (!violations.check(isBrowserPath(href), field, form)) return;
  if (!violations.check(!isOwnPath(href), field, `${quote(href)} is one of the platform's own paths`)) return;
  if (href !== base && !href.startsWith(base.endsWith("/") ? base : `${base}/`))
    violations.warn(field, `${quote(href)} lies outside route_base ${quote(base)}`);
}
