import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { effectiveDefinitions } from "@appserver/contracts/settings";
import { AppError, type Caller, type Clock, isUuid, type Permissions, requirePermission } from "@appserver/kernel";
import { effectiveSettings, type SettingsCondition, type SettingView } from "../domain/settings-view.ts";
import type { StoredSettings } from "../domain/stored-settings.ts";
import type { Apps, SettingsApp, SettingsStore } from "../ports.ts";
import type { ValueVault } from "./value-vault.ts";

/** What every use case of the service works with. */
export interface SettingsContext {
  readonly apps: Apps;
  readonly store: SettingsStore;
  readonly vault: ValueVault;
  readonly permissions: Permissions;
  readonly clock: Clock;
}

/** The settings of an app as one caller may see them. */
export interface SettingsView {
  readonly app: SettingsApp;
  /** The app's own definitions and the platform's. */
  readonly definitions: readonly SettingDefinition[];
  readonly settings: readonly SettingView[];
  readonly conditions: readonly (SettingsCondition & { readonly since: Date })[];
  readonly version: number;
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
  /** Whether secrets are in plain text. */
  readonly seesSecrets: boolean;
}

/** Effective values by key; settings without a value are left out. */
export function valuesOf({ settings }: SettingsView): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    settings.flatMap(({ definition, value }) => (value === undefined ? [] : [[definition.key, value] as const])),
  );
}

/** Keys of secrets that are set. */
export function secretsSet({ settings }: SettingsView): readonly string[] {
  return settings.filter(({ sensitive, isSet }) => sensitive && isSet).map(({ definition }) => definition.key);
}

/** The app, or NOT_FOUND. */
export async function requireApp(context: SettingsContext, appId: string): Promise<SettingsApp> {
  const app = isUuid(appId) ? await context.apps.find(appId) : undefined;
  if (!app) throw new AppError("NOT_FOUND", `no app has the id ${JSON.stringify(appId.slice(0, 100))}`, { details: { appId } });
  return app;
}

/**
 * Lets the app itself and holders of the permission pass. Refuses with AUTHENTICATION_REQUIRED or PERMISSION_DENIED, before
 * it is told whether there is such an app.
 */
export async function requireAccess(
  context: SettingsContext,
  caller: Caller,
  appId: string,
  permission: "settings:read" | "settings:write",
): Promise<void> {
  if (!isTrusted(caller, appId)) await requirePermission(context.permissions, caller, permission);
}

/** The platform itself, and whoever stands for it where authentication is off; and the app whose settings these are. */
function isTrusted(caller: Caller, appId: string): boolean {
  return caller.kind === "system" || (caller.kind === "app" && caller.id === appId);
}

/** What is stored, as the caller may see it. */
export async function viewFor(
  context: SettingsContext,
  app: SettingsApp,
  stored: StoredSettings,
  caller: Caller,
): Promise<SettingsView> {
  const seesSecrets = isTrusted(caller, app.id) || (await context.permissions.allowed(caller, "settings:read_secrets"));
  const definitions = effectiveDefinitions(app.definitions);
  const decoded = await context.vault.decode(app.id, stored.values);
  const { settings, conditions } = effectiveSettings(definitions, decoded, seesSecrets);
  const { version, updatedAt, updatedBy } = stored;
  // Whichever came last, a new schema or new values, made it so.
  const since = updatedAt && updatedAt > app.updatedAt ? updatedAt : app.updatedAt;
  return {
    app,
    definitions,
    settings,
    conditions: conditions.map((condition) => ({ ...condition, since })),
    version,
    updatedAt,
    updatedBy,
    seesSecrets,
  };
}
