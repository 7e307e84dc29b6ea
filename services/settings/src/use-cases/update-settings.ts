import { effectiveDefinitions, isPlatformSetting } from "@appserver/contracts/settings";
import { AppError, type AuditOrigin, auditEntry, type Call, earlierReceipt } from "@appserver/kernel";
import { type PlannedUpdate, planUpdate, type SettingViolation } from "../domain/plan-update.ts";
import type { DecodedValue, StoredSettings } from "../domain/stored-settings.ts";
import type { SettingsApp, SettingsChange } from "../ports.ts";
import {
  mayChangePlatformSettings,
  requireAccess,
  requireApp,
  type SettingsContext,
  type SettingsView,
  viewFor,
} from "./context.ts";

export interface UpdateRequest {
  readonly appId: string;
  /** Values by key. null removes a value. */
  readonly values: unknown;
  /** Refused with CONFLICT if it is not the current version. */
  readonly expectedVersion?: number | undefined;
}

/**
 * Merges values into the stored ones. A merge that changes nothing writes nothing. Throws INVALID_REQUEST with every violation,
 * CONFLICT, NOT_FOUND, AUTHENTICATION_REQUIRED, PERMISSION_DENIED, and INVALID_STATE for an app that is being uninstalled.
 */
export async function updateSettings(context: SettingsContext, request: UpdateRequest, call: Call): Promise<SettingsView> {
  const { appId, values, expectedVersion } = request;
  await requireAccess(context, call, appId, "settings:write");
  const app = await requireApp(context, appId);
  requireWritable(app, call);
  if (earlierReceipt()) return viewFor(context, app, await context.store.load(app.id), call);
  const mayChangeAll = await mayChangePlatformSettings(context, call, appId);
  const stored = await context.store.change(app, async (current) => {
    requireVersion(app, current, expectedVersion);
    const { violations, update } = await judge(context, app, current, values);
    refuse(app, violations);
    if (!mayChangeAll) refusePlatformSettings(app, update);
    return update.sets.length + update.removes.length === 0 ? undefined : changeOf(context, app, update, call);
  });
  return viewFor(context, app, stored, call);
}

/**
 * Returns the violations for which {@link updateSettings} would refuse the values. Changes nothing. Throws its other errors.
 */
export async function validateSettings(
  context: SettingsContext,
  request: Omit<UpdateRequest, "expectedVersion">,
  call: Call,
): Promise<readonly SettingViolation[]> {
  await requireAccess(context, call, request.appId, "settings:read");
  const app = await requireApp(context, request.appId);
  return (await judge(context, app, await context.store.load(app.id), request.values)).violations;
}

/** Throws CONFLICT if a version is given and is not the current one. */
export function requireVersion(app: SettingsApp, current: StoredSettings, expected: number | undefined): void {
  if (expected === undefined || expected === current.version) return;
  const message = `the settings of ${app.name} are at version ${current.version}, not ${expected}; read them again`;
  throw new AppError("CONFLICT", message, { details: { app: app.name, expected, actual: current.version } });
}

/** Throws INVALID_STATE if the caller is the app itself and is being uninstalled. */
export function requireWritable(app: SettingsApp, { caller }: Pick<Call, "caller">): void {
  if (caller.kind === "app" && !app.mayWrite)
    throw new AppError("INVALID_STATE", `${app.name} is being uninstalled`, { details: { app: app.name } });
}

async function judge(context: SettingsContext, app: SettingsApp, current: StoredSettings, patch: unknown) {
  const decoded: readonly DecodedValue[] = await context.vault.decode(app.id, current.values);
  return planUpdate(effectiveDefinitions(app.definitions, app), decoded, patch);
}

function refuse(app: SettingsApp, violations: readonly SettingViolation[]): void {
  const [first] = violations;
  if (!first) return;
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : "";
  const message = `settings of ${app.name} are not valid: ${first.field} ${first.message}${more}`;
  throw new AppError("INVALID_REQUEST", message, { violations });
}

/** Throws PERMISSION_DENIED if the update changes a setting of the platform. */
function refusePlatformSettings(app: SettingsApp, { sets, removes }: PlannedUpdate): void {
  const keys = [...sets.map(({ definition }) => definition.key), ...removes].filter(isPlatformSetting);
  if (keys.length === 0) return;
  const message = `${keys.join(", ")} of ${app.name} needs the permission app:install, and cannot be changed by the app itself`;
  throw new AppError("PERMISSION_DENIED", message, { details: { permission: "app:install", keys } });
}

async function changeOf(
  context: SettingsContext,
  app: SettingsApp,
  { sets, removes }: PlannedUpdate,
  call: Call,
): Promise<SettingsChange> {
  const sealed = sets.map(async ({ definition: { key, sensitive }, value }) => ({
    key,
    sealed: sensitive,
    text: sensitive ? await context.vault.seal(app.id, key, value) : JSON.stringify(value),
  }));
  return {
    sets: await Promise.all(sealed),
    removes,
    audit: settingsEntry(app, "settings.update", [...sets.map(({ definition }) => definition.key), ...removes], call),
    at: new Date(context.clock.now()),
  };
}

/** Returns the audit entry of a change of these keys. It never contains values. */
export function settingsEntry(
  app: SettingsApp,
  action: string,
  keys: readonly string[],
  origin: AuditOrigin,
): NonNullable<SettingsChange["audit"]> {
  return auditEntry(origin, { action, target: `app:${app.name}`, details: { keys: [...keys].sort() } });
}
