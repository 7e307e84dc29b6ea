import { isPlatformSetting } from "@appserver/contracts/settings";
import { type AuditOrigin, type Call, earlierReceipt, type Initiator } from "@appserver/kernel";
import type { StoredSettings } from "../domain/stored-settings.ts";
import type { SettingsApp } from "../ports.ts";
import {
  mayChangePlatformSettings,
  requireAccess,
  requireApp,
  type SettingsContext,
  type SettingsView,
  viewFor,
} from "./context.ts";
import { requireVersion, requireWritable, settingsEntry } from "./update-settings.ts";

export interface DeleteRequest {
  readonly appId: string;
  /** Refused with CONFLICT if it is not the current version. */
  readonly expectedVersion?: number | undefined;
}

/**
 * Deletes the stored values that the caller may change, so that defaults apply: all, or without `app:install` all but the
 * settings of the platform. Throws the same errors as `updateSettings`.
 */
export async function deleteSettings(context: SettingsContext, request: DeleteRequest, call: Call): Promise<SettingsView> {
  const { appId, expectedVersion } = request;
  await requireAccess(context, call, appId, "settings:write");
  const app = await requireApp(context, appId);
  requireWritable(app, call);
  if (earlierReceipt()) return viewFor(context, app, await context.store.load(app.id), call);
  const mayChangeAll = await mayChangePlatformSettings(context, call, appId);
  const stored = await remove(context, app, "settings.delete", call, (current) => {
    requireVersion(app, current, expectedVersion);
    return keysOf(current).filter((key) => mayChangeAll || !isPlatformSetting(key));
  });
  return viewFor(context, app, stored, call);
}

/** Deletes the remaining data of an app that is uninstalled with `purge_data`. Idempotent. */
export async function purgeSettings(context: SettingsContext, appId: string, by: Initiator): Promise<void> {
  await remove(context, await requireApp(context, appId), "settings.purge", by, keysOf);
}

function keysOf({ values }: StoredSettings): readonly string[] {
  return values.map(({ key }) => key);
}

function remove(
  context: SettingsContext,
  app: SettingsApp,
  action: string,
  origin: AuditOrigin,
  choose: (current: StoredSettings) => readonly string[],
): Promise<StoredSettings> {
  return context.store.change(app, async (current) => {
    const removes = choose(current);
    if (removes.length === 0) return undefined;
    return { sets: [], removes, audit: settingsEntry(app, action, removes, origin), at: new Date(context.clock.now()) };
  });
}
