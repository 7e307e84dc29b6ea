import { actorOf, type Caller } from "@appserver/kernel";
import type { StoredSettings } from "../domain/stored-settings.ts";
import type { SettingsApp } from "../ports.ts";
import { requireAccess, requireApp, type SettingsContext, type SettingsView, viewFor } from "./context.ts";
import { requireVersion, requireWritable } from "./update-settings.ts";

export interface DeleteRequest {
  readonly appId: string;
  /** Refused with CONFLICT if it is not the current version. */
  readonly expectedVersion?: number | undefined;
  readonly caller: Caller;
}

/** Deletes all stored values, so that defaults apply. Throws the same errors as `updateSettings`. */
export async function deleteSettings(context: SettingsContext, request: DeleteRequest): Promise<SettingsView> {
  const { appId, caller, expectedVersion } = request;
  await requireAccess(context, caller, appId, "settings:write");
  const app = await requireApp(context, appId);
  requireWritable(app, caller);
  const actor = actorOf(caller);
  const stored = await removeAll(context, app, "settings.delete", actor, (current) =>
    requireVersion(app, current, expectedVersion),
  );
  return viewFor(context, app, stored, caller);
}

/** Deletes the remaining data of an app that is uninstalled with `purge_data`. Idempotent. */
export async function purgeSettings(context: SettingsContext, appId: string, actor: string): Promise<void> {
  await removeAll(context, await requireApp(context, appId), "settings.purge", actor, () => {});
}

function removeAll(
  context: SettingsContext,
  app: SettingsApp,
  action: string,
  actor: string,
  check: (current: StoredSettings) => void,
): Promise<StoredSettings> {
  return context.store.change(app, async (current) => {
    check(current);
    const removes = current.values.map(({ key }) => key);
    if (removes.length === 0) return undefined;
    return { sets: [], removes, visible: { action, actor }, at: new Date(context.clock.now()) };
  });
}
