import { characterCount, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type NavigationRoute, type UI, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { checkPermission } from "./check-permissions.ts";
import { iconProblem, isBrowserPath } from "./icon-problem.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

const scripts = ["application/javascript", "text/javascript"];

/** Allowed types of an entry asset, by mode. A page is a script, or HTML if it renders itself. */
const entryTypes: Readonly<Record<number, readonly string[]>> = {
  [UIMode.UI_MODE_FEDERATION]: [...scripts, "application/json"],
  [UIMode.UI_MODE_WEB_COMPONENT]: [...scripts, "text/html"],
  [UIMode.UI_MODE_ESM_COMPONENT]: [...scripts, "text/html"],
};

/** First path segments that the platform reserves. */
const reservedRoots = new Set([
  "api",
  "apps",
  "assets",
  "graphql",
  "health",
  "metrics",
  "playground",
  "ready",
  "dev",
  "console",
  "login",
  "self-service",
  "sdk",
  "cli",
  "docs",
]);

/** Returns whether an asset of this type is a script. */
export function isScript(mimeType: string): boolean {
  return scripts.includes(mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}

/** Checks the UI (docs/interface/manifest.md#ui) and its navigation (docs/interface/manifest.md#navigation). */
export function checkUi(manifest: AppManifest, violations: Violations): void {
  const ui = manifest.webApp?.ui;
  if (!ui) return;
  const field = "web_app.ui";
  violations.check(entryTypes[ui.mode] !== undefined, `${field}.mode`, "must be FEDERATION, WEB_COMPONENT or ESM_COMPONENT");
  checkEntryAsset(manifest, ui, violations);
  const exposed = ui.exposedModule ?? "";
  violations.check(
    ui.mode !== UIMode.UI_MODE_WEB_COMPONENT || exposed === "",
    `${field}.exposed_module`,
    "is not used with WEB_COMPONENT and must be absent",
  );
  checkRouteBase(ui, violations);
  checkNavigation(ui.navigation, `${field}.navigation`, 1, ui.routeBase, violations);
}

function checkEntryAsset(manifest: AppManifest, ui: UI, violations: Violations): void {
  const field = "web_app.ui.entry_asset_name";
  const entry = manifest.webApp?.assets.find((asset) => asset.name === ui.entryAssetName);
  if (!violations.check(entry !== undefined, field, `must name an asset of web_app.assets, got ${quote(ui.entryAssetName)}`))
    return;
  const accepted = entryTypes[ui.mode] ?? [];
  if (entry && accepted.length > 0) {
    violations.check(
      accepted.includes(entry.mimeType),
      field,
      `has type ${quote(entry.mimeType)}, the mode needs one of ${accepted.join(", ")}`,
    );
  }
}

function checkRouteBase(ui: UI, violations: Violations): void {
  const field = "web_app.ui.route_base";
  if (
    !violations.check(
      isPath(ui.routeBase),
      field,
      `must start with "/" and hold no query, fragment or "..", got ${quote(ui.routeBase)}`,
    )
  )
    return;
  const first = ui.routeBase.split("/")[1] ?? "";
  violations.check(
    first !== "" && !reservedRoots.has(first),
    field,
    `${quote(ui.routeBase)} is one of the platform's own paths`,
  );
}

function checkNavigation(
  routes: readonly NavigationRoute[],
  field: string,
  depth: number,
  base: string,
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
    if (
      violations.check(
        isBrowserPath(route.href),
        `${at}.href`,
        `must start with one "/" and hold no backslash, space or control character, got ${quote(route.href)}`,
      )
    ) {
      if (route.href !== base && !route.href.startsWith(base.endsWith("/") ? base : `${base}/`)) {
        violations.warn(`${at}.href`, `${quote(route.href)} lies outside route_base ${quote(base)}`);
      }
    }
    violations.none(iconProblem(route.icon ?? ""), `${at}.icon`);
    for (const [i, permission] of route.requiredPermissions.entries())
      checkPermission(permission, `${at}.required_permissions[${i}]`, violations);
    checkNavigation(route.children, `${at}.children`, depth + 1, base, violations);
  }
}

function isPath(path: string): boolean {
  return (
    path.length <= manifestLimits.addressLength &&
    isBrowserPath(path) &&
    !/[?#]/.test(path) &&
    !path.split("/").some((segment) => segment === ".." || segment === ".")
  );
}
