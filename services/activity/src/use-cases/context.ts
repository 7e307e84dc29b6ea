import {
  AppError,
  type BacklogQuota,
  type Call,
  type Clock,
  type GroupCommit,
  invalidField,
  type Logger,
  type Permissions,
  requirePermission,
  userAuditEntry,
} from "@appserver/kernel";
import type { ActivityTimes } from "../domain/limits.ts";
import type { RunRecord } from "../domain/run.ts";
import type {
  Catalogue,
  DefinitionStore,
  ForwardKeys,
  InputSchemas,
  Metrics,
  NewRun,
  RunChanges,
  RunReads,
  RunStore,
  RunTransport,
  ScheduleStore,
} from "../ports.ts";

/** What every use case of the service works with. */
export interface ActivityContext {
  readonly runs: RunStore;
  readonly runReads: RunReads;
  /** Stores new runs, many at a time. */
  readonly enqueue: GroupCommit<NewRun, RunRecord | undefined>;
  readonly schedules: ScheduleStore;
  readonly definitions: DefinitionStore;
  readonly catalogue: Catalogue;
  readonly schemas: InputSchemas;
  readonly runChanges: RunChanges;
  readonly permissions: Permissions;
  /** Of runs that wait. */
  readonly quota: BacklogQuota;
  readonly metrics: Metrics;
  readonly times: ActivityTimes;
  readonly transport: RunTransport;
  readonly forwardKeys: ForwardKeys;
  /** Each signs POSTs. */
  readonly platformKeys: readonly Uint8Array[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Refuses unless the caller is the app itself or holds the platform permission. */
export async function requireAccess(
  context: ActivityContext,
  call: Pick<Call, "caller">,
  appName: string | undefined,
  permission: string,
): Promise<void> {
  if (isAppItself(call, appName)) return;
  await requirePermission(context.permissions, call, permission);
}

/** Whether the caller is this app. */
export function isAppItself({ caller }: Pick<Call, "caller">, appName: string | undefined): boolean {
  return caller.kind === "app" && caller.name === appName;
}

/**
 * Returns what was found, or throws `unknown`. Permission comes before existence. For an app without the permission, what belongs
 * to another app is unknown.
 */
export async function requireFound<T extends { readonly appName: string }>(
  context: ActivityContext,
  call: Call,
  request: { readonly found: T | undefined; readonly permission: string; readonly unknown: AppError },
): Promise<T> {
  const { found, permission, unknown } = request;
  try {
    await requireAccess(context, call, found?.appName, permission);
  } catch (error) {
    if (call.caller.kind === "app") throw unknown;
    throw error;
  }
  if (!found) throw unknown;
  return found;
}

/** Returns the app that a request is about: the one it names, else the one that calls. */
export function appOf({ caller }: Call, named: string | undefined): string {
  if (named !== undefined && named !== "") return named;
  if (caller.kind === "app") return caller.name;
  throw invalidField("app_name", "is required");
}

/** Returns the audit entry for a user's action on an activity. It never contains inputs or outputs. */
export function activityEntry(
  call: Call,
  verb: "trigger" | "cancel" | "schedule" | "unschedule" | "pause" | "resume" | "delete_schedule",
  { appName, activity }: { readonly appName: string; readonly activity: string },
  details: Readonly<Record<string, string>>,
) {
  return userAuditEntry(call, { action: `activity.${verb}`, target: `app:${appName}`, details: { activity, ...details } });
}

/** Returns the name of the calling app. Users and the platform have no activities. */
export function requireApp({ caller }: Call, what: string): string {
  if (caller.kind === "app") return caller.name;
  if (caller.kind === "anonymous" || caller.kind === "system")
    throw new AppError("AUTHENTICATION_REQUIRED", `only an app can ${what}: sign the call with its key`);
  throw new AppError("PERMISSION_DENIED", `only an app can ${what}`);
}
