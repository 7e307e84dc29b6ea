import type { Problem } from "@appserver/kernel";
import { type ManifestDifferences, settingsLost } from "./manifest-differences.ts";
import { shortenedList } from "./shortened-list.ts";

/** What the warnings depend on. */
export interface PossibleLosses {
  readonly differences: ManifestDifferences;
  readonly storedSettings: readonly string[];
}

/** Returns a warning for each kind of thing that users of the app lose with the new version: settings, routes, addresses, storage. */
export function upgradeLosses(app: string, { differences, storedSettings }: PossibleLosses): readonly Problem[] {
  return [
    settingsWarning(app, differences, storedSettings),
    routesWarning(app, differences),
    basePathWarning(app, differences),
    storageWarning(app, differences),
  ].flatMap((warning) => warning ?? []);
}

function settingsWarning(app: string, differences: ManifestDifferences, stored: readonly string[]): Problem | undefined {
  const settings = settingsLost(differences, stored);
  if (settings.length === 0) return undefined;
  const names = settings.map(({ key, from, to }) => `${key} (${to === undefined ? "removed" : `${from} becomes ${to}`})`);
  const message = `${app} loses the stored values of settings: ${shortenedList(names)}`;
  return { code: "INVALID_REQUEST", message, details: { app, settings } };
}

function routesWarning(app: string, { routes }: ManifestDifferences): Problem | undefined {
  if (routes.removed.length === 0) return undefined;
  const removed = routes.removed.map(({ methods, pattern }) => ({ methods, pattern }));
  const names = removed.map(({ methods, pattern }) => `${methods.join(",")} ${pattern}`);
  const message = `${app} has routes that the new version removes: ${shortenedList(names)}`;
  return { code: "NOT_FOUND", message, details: { app, routes: removed } };
}

function basePathWarning(app: string, { basePath }: ManifestDifferences): Problem | undefined {
  if (basePath?.from === undefined || basePath.to === undefined) return undefined;
  const message = `the routes of ${app} move from ${basePath.from} to ${basePath.to}`;
  return { code: "NOT_FOUND", message, details: { app, ...basePath } };
}

/** Nothing of it is deleted, so that a rollback finds it. */
function storageWarning(app: string, { storage: { removed } }: ManifestDifferences): Problem | undefined {
  if (removed.length === 0) return undefined;
  const names = removed.map(({ name, mountPath }) => `${name} (${mountPath})`);
  const message = `the new version of ${app} does not use its storage, which is kept until it is deleted: ${shortenedList(names)}`;
  return { code: "NOT_FOUND", message, details: { app, storage: removed } };
}
