import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { effectiveDefinitions } from "@appserver/contracts/settings";
import { AppError, type Call, type Caller, type Clock, isUuid, type Permissions, requirePermission } from "@appserver/kernel";
import { effectiveSettings, type SettingsCondition, type SettingView } from "../domain/settings-view.ts";
import type { StoredSettings } from "../domain/stored-settings.ts";
import type { Apps, SettingsApp, SettingsStore } from "../ports.ts";
import type { ValueVault } from "./value-vault.ts";

/** The dependencies that all use cases of the service share. */
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
  /** The definitions of the app and of the platform. */
  readonly definitions: readonly SettingDefinition[];
  readonly settings: readonly SettingView[];
  readonly conditions: readonly (SettingsCondition & { readonly since: Date })[];
  readonly version: number;
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
  /** Whether secrets are in plain text. */
  readonly seesSecrets: boolean;
}

/** Returns the effective values by key. Settings without a value are omitted. */
export function valuesOf({ settings }: SettingsView): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    settings.flatMap(({ definition, value }) => (value === undefined ? [] : [[definition.key, value] as const])),
  );
}

/** Returns the stored values by key, without secrets. */
export function storedValues({ settings }: SettingsView): Readonly<Record<string, unknown>> {
  const shown = settings.filter(({ sensitive, isSet, value }) => isSet && !sensitive && value !== undefined);
  return Object.fromEntries(shown.map(({ definition, value }) => [definition.key, value]));
}

/** Returns the keys of secrets that are set. */
export function secretsSet({ settings }: SettingsView): readonly string[] {
  return settings.filter(({ sensitive, isSet }) => sensitive && isSet).map(({ definition }) => definition.key);
}

/** Returns the app. Throws NOT_FOUND if it does not exist. */
export async function requireApp(context: SettingsContext, appId: string): Promise<SettingsApp> {
  const app = isUuid(appId) ? await context.apps.find(appId) : undefined;
  if (!app) throw new AppError("NOT_FOUND", `no app has the id ${JSON.stringify(appId.slice(0, 100))}`, { details: { appId } });
  return app;
}

/**
 * Admits the app itself and holders of the permission. Otherwise throws AUTHENTICATION_REQUIRED or PERMISSION_DENIED, before
 * the caller can find out whether the app exists.
 */
export async function requireAccess(
  context: SettingsContext,
  call: Call,
  appId: string,
  permission: "settings:read" | "settings:write",
): Promise<void> {
  if (!isTrusted(call.caller, appId)) await requirePermission(context.permissions, call, permission);
}

/**
 * Returns whether the caller may change the settings of the platform about an app: the app itself never, others with
 * `app:install` (docs/interface/settings.md#platform-settings).
 */
export async function mayChangePlatformSettings(context: SettingsContext, { caller }: Call, appId: string): Promise<boolean> {
  if (caller.kind === "app" && caller.id === appId) return false;
  return context.permissions.allowed(caller, "app:install");
}

/**
 * Returns whether the caller is the platform, which includes all callers when authentication is off, or the app that owns the
 * settings.
 */
function isTrusted(caller: Caller, appId: string): boolean {
  return caller.kind === "system" || (caller.kind === "app" && caller.id === appId);
}

/** Returns the stored settings as the caller may see them. */
export async function viewFor(
  context: SettingsContext,
  app: SettingsApp,
  stored: StoredSettings,
  { caller }: Call,
): Promise<SettingsView> {
  const seesSecrets = isTrusted(caller, app.id) || (await context.permissions.allowed(caller, "settings:read_secrets"));
  const definitions = effectiveDefinitions(app.definitions, app);
  const decoded = await context.vault.decode(app.id, stored.values);
  const { settings, conditions } = effectiveSettings(definitions, decoded, seesSecrets);
  const { version, updatedAt, updatedBy } = stored;
  // The condition exists since the later of the two changes: a new schema or new values.
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
