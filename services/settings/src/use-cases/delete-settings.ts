import type { AuditOrigin, Call } from "@appserver/kernel";
import type { StoredSettings } from "../domain/stored-settings.ts";
import type { SettingsApp } from "../ports.ts";
import { requireAccess, requireApp, type SettingsContext, type SettingsView, viewFor } from "./context.ts";
import { requireVersion, requireWritable, settingsEntry } from "./update-settings.ts";

export interface DeleteRequest {
  readonly appId: string;
  /** Refused with CONFLICT if it is not the current version. */
  readonly expectedVersion?: number | undefined;
}

/** Deletes all stored values, so that defaults apply. Throws the same errors as `updateSettings`. */
export async function deleteSettings(context: SettingsContext, request: DeleteRequest, call: Call): Promise<SettingsView> {
  const { appId, expectedVersion } = request;
  await requireAccess(context, call, appId, "settings:write");
  const app = await requireApp(context, appId);
  requireWritable(app, call);
  const stored = await removeAll(context, app, "settings.delete", call, (current) =>
    requireVersion(app, current, expectedVersion),
  );
  return viewFor(context, app, stored, call);
}

/** Deletes the remaining data of an app that is uninstalled with `purge_data`. Idempotent. */
export async function purgeSettings(context: SettingsContext, appId: string, actor: string): Promise<void> {
  await removeAll(context, await requireApp(context, appId), "settings.purge", { actor }, () => {});
}

function removeAll(
  context: SettingsContext,
  app: SettingsApp,
  action: string,
  origin: AuditOrigin,
  check: (current: StoredSettings) => void,
): Promise<StoredSettings> {
  return context.store.change(app, async (current) => {
    check(current);
    const removes = current.values.map(({ key }) => key);
    if (removes.length === 0) return undefined;
    return { sets: [], removes, audit: settingsEntry(app, action, removes, origin), at: new Date(context.clock.now()) };
  });
}
