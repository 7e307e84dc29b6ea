import { appApi, declaredScopes } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { type NavigationRoute, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { effectiveDefinitions } from "@appserver/contracts/settings";
import { declaredReplicas } from "./declared-replicas.ts";
import { declaredLimits, limitFields } from "./excessive-limits.ts";
import {
  compareTexts,
  type ListDifferences,
  listDifferences,
  type SetDifferences,
  setDifferences,
} from "./list-differences.ts";
import { type Dependency, dependenciesOf, routeBaseOf } from "./planned-app.ts";
import { type CrossAppApproval, type Requirement, requirementsOf } from "./required-permissions.ts";
import { type RouteSummary, routeDifferences, routesOf } from "./route-differences.ts";

/** What a manifest changes in comparison with another one. All lists are sorted. */
export interface ManifestDifferences {
  readonly from: string;
  readonly to: string;
  /** The permissions that the app requires. A changed one has another digest and needs another approval. */
  readonly permissions: ListDifferences<Requirement>;
  /** The scopes that the app's own routes require of callers. */
  readonly ownScopes: SetDifferences<string>;
  readonly routes: ListDifferences<RouteSummary>;
  readonly navigation: SetDifferences<NavigationSummary>;
  /** Names of the hooks that the app subscribes to. */
  readonly hooks: SetDifferences<string>;
  /** Names of activities. */
  readonly activities: SetDifferences<string>;
  readonly settings: ListDifferences<SettingSummary>;
  readonly dependencies: ListDifferences<Dependency>;
  /** The languages that have texts. */
  readonly translations: SetDifferences<string>;
  readonly storage: ListDifferences<StorageSummary>;
  /** The variables that the manifest adds to the container's environment. */
  readonly environment: ListDifferences<VariableSummary>;
  /** The limits that the manifest sets for the container. */
  readonly resources: ListDifferences<LimitSummary>;
  /** The number of instances of the container: `2`, or `2 to 5`, or `2 to 5 at 70 %`. */
  readonly replicas: ValueChange | undefined;
  /** Whether the previous version cannot run again after the new one. */
  readonly irreversibleMigration: boolean;
  /** What the app is for, in one sentence. */
  readonly description: ValueChange | undefined;
  /** The digest of the image that the manifest names. */
  readonly imageDigest: ValueChange | undefined;
  /** The user of the container. */
  readonly user: ValueChange | undefined;
  readonly uiMode: ValueChange | undefined;
  readonly routeBase: ValueChange | undefined;
  /** The absolute path of the API. */
  readonly basePath: ValueChange | undefined;
}

/** A value that differs. Undefined if the manifest does not have it. */
export interface ValueChange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** An entry of the navigation, on any level. */
export interface NavigationSummary {
  /** The titles of the entries above it, and its own. */
  readonly titles: readonly string[];
  readonly href: string;
}

export interface SettingSummary {
  readonly key: string;
  /** `INT_REQUIRED` */
  readonly type: string;
}

export interface StorageSummary {
  readonly name: string;
  readonly mountPath: string;
  readonly size: string;
}

/** A variable with a constant value, or with the value of a setting. */
export type VariableSummary = { readonly name: string } & ({ readonly value: string } | { readonly setting: string });

export interface LimitSummary {
  /** A field of `resources`: `memory_mb` */
  readonly resource: string;
  readonly limit: number;
}

/** Compares two manifests of one app. `crossApp` decides which permissions need an approval. */
export function manifestDifferences(from: AppManifest, to: AppManifest, crossApp: CrossAppApproval): ManifestDifferences {
  const lists = <T>(of: (manifest: AppManifest) => T): readonly [T, T] => [of(from), of(to)];
  const requirements = (manifest: AppManifest): readonly Requirement[] => requirementsOf(manifest, crossApp);
  return {
    from: from.version,
    to: to.version,
    permissions: listDifferences(...lists(requirements), ({ scope, resourceType }) => `${scope} ${resourceType}`),
    ownScopes: setDifferences(...lists(declaredScopes), itself),
    routes: routeDifferences(...lists(routesOf)),
    navigation: setDifferences(...lists(navigationOf), ({ titles, href }) => JSON.stringify([href, ...titles])),
    hooks: setDifferences(...lists(({ hooks }) => hooks.map(({ hookName }) => hookName)), itself),
    activities: setDifferences(...lists(({ activities }) => activities.map(({ name }) => name)), itself),
    settings: listDifferences(...lists(settingsOf), ({ key }) => key),
    dependencies: listDifferences(...lists(dependenciesOf), ({ appName }) => appName),
    translations: setDifferences(...lists(({ translations }) => Object.keys(translations)), itself),
    storage: listDifferences(...lists(storageOf), ({ name }) => name),
    environment: listDifferences(...lists(environmentOf), ({ name }) => name),
    resources: listDifferences(...lists(limitsOf), ({ resource }) => resource),
    replicas: valueChange(...lists(replicasOf)),
    irreversibleMigration: to.irreversibleMigration,
    description: valueChange(...lists(({ description }) => description || undefined)),
    imageDigest: valueChange(...lists(({ imageDigest }) => imageDigest)),
    user: valueChange(...lists(({ user }) => user)),
    uiMode: valueChange(...lists(uiModeOf)),
    routeBase: valueChange(...lists(routeBaseOf)),
    basePath: valueChange(...lists(basePathOf)),
  };
}

/** A setting whose stored value the new version cannot use. */
export interface LostSetting {
  readonly key: string;
  readonly from: string;
  /** Undefined if the new version has no such setting. */
  readonly to: string | undefined;
}

/** Returns the settings with a stored value that no longer has a definition, or whose new type may refuse it. Sorted by key. */
export function settingsLost(
  { settings }: Pick<ManifestDifferences, "settings">,
  storedKeys: Iterable<string>,
): readonly LostSetting[] {
  const stored = new Set(storedKeys);
  const removed = settings.removed.map(({ key, type }) => ({ key, from: type, to: undefined }));
  const changed = settings.changed.map(({ from, to }) => ({ key: from.key, from: from.type, to: to.type }));
  return [...removed, ...changed.filter(({ from, to }) => !keepsValues(from, to))]
    .filter(({ key }) => stored.has(key))
    .sort((a, b) => compareTexts(a.key, b.key));
}

/** Returns whether every value of one type is a value of the other. */
function keepsValues(from: string, to: string): boolean {
  const [before, after] = [valueTypeOf(from), valueTypeOf(to)];
  return before === after || after === "JSON" || (before === "INT" && after === "FLOAT") || isWiderArray(before, after);
}

function isWiderArray(before: string, after: string): boolean {
  return before === "INT_ARRAY" && after === "FLOAT_ARRAY";
}

/** A required setting has the same values as an optional one. */
function valueTypeOf(type: string): string {
  return type.replace(/_REQUIRED$/, "");
}

function navigationOf({ webApp }: AppManifest): readonly NavigationSummary[] {
  return entriesBelow([], webApp?.ui?.navigation ?? []);
}

function entriesBelow(above: readonly string[], entries: readonly NavigationRoute[]): readonly NavigationSummary[] {
  return entries.flatMap(({ title, href, children }) => {
    const titles = [...above, title];
    return [{ titles, href }, ...entriesBelow(titles, children)];
  });
}

/** Includes the settings of the platform: every app has them, and no version loses their values. */
function settingsOf({ settings }: AppManifest): readonly SettingSummary[] {
  return effectiveDefinitions(settings?.definitions ?? []).map(({ key, dataType }) => ({
    key,
    type: SettingDataType[dataType] ?? "UNSPECIFIED",
  }));
}

function storageOf({ storage }: AppManifest): readonly StorageSummary[] {
  return storage.map(({ name, mountPath, size }) => ({ name, mountPath, size }));
}

function environmentOf({ environment, settings }: AppManifest): readonly VariableSummary[] {
  const constants = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const ofSettings = (settings?.definitions ?? []).flatMap(({ env, key }) =>
    env === undefined ? [] : [{ name: env, setting: key }],
  );
  return [...constants, ...ofSettings];
}

function limitsOf(manifest: AppManifest): readonly LimitSummary[] {
  const declared = declaredLimits(manifest);
  return limitFields.flatMap(([key, resource]) => {
    const limit = declared[key];
    return limit === undefined ? [] : [{ resource, limit }];
  });
}

function replicasOf(manifest: AppManifest): string | undefined {
  const { min, max, cpuPercent } = declaredReplicas(manifest);
  const range = max > min ? `${min} to ${max}` : `${min}`;
  return cpuPercent === undefined ? range : `${range} at ${cpuPercent} %`;
}

function uiModeOf({ webApp }: AppManifest): string | undefined {
  return webApp?.ui && (UIMode[webApp.ui.mode] ?? "UNSPECIFIED").replace(/^UI_MODE_/, "");
}

function basePathOf(manifest: AppManifest): string | undefined {
  return appApi(manifest)?.basePath;
}

function valueChange(from: string | undefined, to: string | undefined): ValueChange | undefined {
  return from === to ? undefined : { from, to };
}

function itself(text: string): string {
  return text;
}
