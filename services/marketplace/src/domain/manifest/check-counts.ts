import { inputSchemaLimits, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { NavigationRoute } from "@appserver/contracts/proto/appserver/v2/ui";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** A list in a manifest: its path, its length and its maximum length. */
type Counted = readonly [field: string, count: number, most: number];

/** Returns whether no list of the manifest is longer than allowed. Reads only lengths, so the check is cheap. */
export function checkCounts(manifest: AppManifest, violations: Violations): boolean {
  const excessive = countsOf(manifest).filter(([, count, most]) => count > most);
  for (const [field, count, most] of excessive) violations.add(field, `has ${count} entries, at most ${most} are accepted`);
  return checkSchemas(manifest, violations) && excessive.length === 0;
}

function checkSchemas({ activities }: AppManifest, violations: Violations): boolean {
  const length = activities.reduce((sum, { inputSchema }) => sum + (inputSchema?.length ?? 0), 0);
  const { lengthTogether } = inputSchemaLimits;
  return violations.check(
    length <= lengthTogether,
    "activities",
    `have input schemas of ${length} characters together, at most ${lengthTogether} are accepted`,
  );
}

function countsOf(manifest: AppManifest): readonly Counted[] {
  const { webApp } = manifest;
  const definitions = manifest.settings?.definitions ?? [];
  const lists: readonly Counted[] = [
    ["web_app.assets", webApp?.assets.length ?? 0, manifestLimits.assets],
    ["required_permissions", manifest.requiredPermissions.length, manifestLimits.requiredPermissions],
    ["dependencies", manifest.dependencies.length, manifestLimits.dependencies],
    ["settings.definitions", definitions.length, manifestLimits.settings],
    ["environment", Object.keys(manifest.environment).length, manifestLimits.environment],
    ["hooks", manifest.hooks.length, manifestLimits.hooks],
    ["activities", manifest.activities.length, manifestLimits.activities],
    ["translations", Object.keys(manifest.translations).length, manifestLimits.translations],
    ["storage", manifest.storage.length, manifestLimits.storage],
  ];
  return [...lists, ...navigationCounts(webApp?.ui?.navigation ?? []), ...apiCounts(manifest), ...settingCounts(manifest)];
}

function apiCounts({ webApp }: AppManifest): readonly Counted[] {
  const api = webApp?.api;
  if (!api) return [];
  const at = "web_app.api";
  const { methods, permissions, forwardHeaders } = manifestLimits;
  return [
    [`${at}.routes`, api.routes.length, manifestLimits.routes],
    [`${at}.forward_headers`, api.forwardHeaders.length, forwardHeaders],
    [`${at}.required_permissions`, api.requiredPermissions.length, permissions],
    ...api.routes.slice(0, manifestLimits.routes).flatMap((route, index): readonly Counted[] => [
      [`${at}.routes[${index}].methods`, route.methods.length, methods],
      [`${at}.routes[${index}].scopes`, route.scopes.length, permissions],
      [`${at}.routes[${index}].required_permissions`, route.requiredPermissions.length, permissions],
    ]),
  ];
}

function settingCounts({ settings }: AppManifest): readonly Counted[] {
  const definitions = (settings?.definitions ?? []).slice(0, manifestLimits.settings);
  const patterns = definitions.filter(({ validation }) => (validation?.pattern ?? "") !== "").length;
  const variables = definitions.filter(({ env = "" }) => env !== "").length;
  return [
    ["settings.definitions", patterns > manifestLimits.settingPatterns ? patterns : 0, manifestLimits.settingPatterns],
    ["settings.definitions: env", variables > manifestLimits.settingVariables ? variables : 0, manifestLimits.settingVariables],
    ...definitions.flatMap(({ validation, uiHints }, index): readonly Counted[] => [
      [`settings.definitions[${index}].validation.enum`, validation?.enum.length ?? 0, manifestLimits.settingOptions],
      [`settings.definitions[${index}].ui_hints.options`, uiHints?.options.length ?? 0, manifestLimits.settingOptions],
    ]),
  ];
}

/** Counts the entries of all levels together. Iterative, because nesting may be deeper than the call stack allows. */
function navigationCounts(routes: readonly NavigationRoute[]): readonly Counted[] {
  const field = "web_app.ui.navigation";
  const { navigationEntries, permissions, navigationMetadata } = manifestLimits;
  let count = 0;
  const lists: Counted[] = [];
  const open: (readonly NavigationRoute[])[] = [routes];
  for (let level = open.pop(); level && count <= navigationEntries; level = open.pop()) {
    count += level.length;
    for (const { title, children, requiredPermissions, metadata } of level.slice(0, navigationEntries)) {
      if (children.length > 0) open.push(children);
      const entry = `${field}, entry ${quote(title)}`;
      lists.push([`${entry}: required_permissions`, requiredPermissions.length, permissions]);
      lists.push([`${entry}: metadata`, Object.keys(metadata).length, navigationMetadata]);
    }
  }
  return [[field, count, navigationEntries], ...lists];
}
