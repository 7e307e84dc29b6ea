import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError } from "@appserver/kernel";
import type { AppRecord, Condition } from "../domain/app.ts";
import type { LiveApp } from "../domain/live-app.ts";
import type { MarketplaceContext } from "./context.ts";

/** Returns the app as it is stored now. Throws NOT_FOUND if it does not exist, or if its id is not `appId`. */
export async function requireApp(
  { apps }: Pick<MarketplaceContext, "apps">,
  name: string,
  appId?: string | undefined,
): Promise<LiveApp> {
  const live = requireKnown(await apps.current(name), name);
  if (appId !== undefined && live.app.id !== appId) throw unknownAppId(appId);
  return live;
}

/** Returns an app whose record was just stored or read. Reads it only if this process does not hold that record. */
export async function liveOf({ apps }: Pick<MarketplaceContext, "apps">, { id, name, rowVersion }: AppRecord) {
  const held = apps.get(name);
  return held?.app.id === id && held.app.rowVersion === rowVersion ? held : apps.current(name);
}

/** Returns the app if it exists. Throws NOT_FOUND otherwise. */
export function requireKnown(app: LiveApp | undefined, name: string): LiveApp {
  if (!app) throw unknownApp(name);
  return app;
}

/** Returns the error NOT_FOUND for a name that no app has. */
export function unknownApp(name: string): AppError {
  return new AppError("NOT_FOUND", `no app is registered under the name ${quote(name)}`, { details: { app: name } });
}

/** Returns the error NOT_FOUND for an id that no app has. */
export function unknownAppId(appId: string): AppError {
  return new AppError("NOT_FOUND", `no app has the id ${quote(appId)}`, { details: { appId } });
}

/** Returns the manifest of the app's current version. Reads it only if this process does not hold it. */
export async function manifestOf({ apps, store }: MarketplaceContext, app: AppRecord): Promise<AppManifest> {
  const manifest = apps.manifestOf(app) ?? (await store.manifest(app.id, app.manifestDigest));
  if (!manifest) throw new Error(`the manifest of ${app.name} ${app.version} is missing`);
  return manifest;
}

/** Returns the problems of an app that an operator should fix. */
export async function conditionsOf({ participants }: MarketplaceContext, app: AppRecord): Promise<readonly Condition[]> {
  const found = await Promise.all(participants.map(async (participant) => (await participant.conditions?.(app)) ?? []));
  return [...app.conditions, ...found.flat()];
}
