import { AppError, type Call } from "@appserver/kernel";
import type { SettingView } from "../domain/settings-view.ts";
import { requireAccess, requireApp, type SettingsContext, type SettingsView, viewFor } from "./context.ts";

/**
 * Returns the settings of an app: stored values and defaults. Secrets are masked unless the caller is the app itself or holds
 * `settings:read_secrets`. Throws NOT_FOUND, AUTHENTICATION_REQUIRED, PERMISSION_DENIED.
 */
export async function readSettings(context: SettingsContext, appId: string, call: Call): Promise<SettingsView> {
  await requireAccess(context, call, appId, "settings:read");
  const app = await requireApp(context, appId);
  return viewFor(context, app, await context.store.load(app.id), call);
}

/**
 * Returns one setting, or undefined for a key that the app does not have. Throws the same errors as {@link readSettings}.
 * Throws INVALID_STATE if the caller may see the value but it cannot be decrypted: its key was lost, or the stored value was
 * altered.
 */
export async function readSetting(
  context: SettingsContext,
  { appId, key }: { readonly appId: string; readonly key: string },
  call: Call,
): Promise<SettingView | undefined> {
  const view = await readSettings(context, appId, call);
  const setting = view.settings.find(({ definition }) => definition.key === key);
  if (setting?.unreadable !== undefined && view.seesSecrets)
    throw new AppError("INVALID_STATE", setting.unreadable, { details: { app: view.app.name, key } });
  return setting;
}
