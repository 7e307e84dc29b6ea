import {
  type BacklogQuota,
  type Caller,
  type Clock,
  type GroupCommit,
  invalidField,
  type Logger,
  type Permissions,
  requirePermission,
} from "@appserver/kernel";
import type { ActivityTimes } from "../domain/limits.ts";
import type { RunRecord } from "../domain/run.ts";
import type {
  DefinitionStore,
  InputSchemas,
  NewRun,
  Recurrences,
  RunMetrics,
  RunNews,
  RunStore,
  ScheduleStore,
} from "../ports.ts";
import type { ActivityCatalogue } from "./activity-catalogue.ts";

/** What every use case of the service works with. */
export interface ActivityContext {
  readonly runs: RunStore;
  /** Stores new runs, many at a time. */
  readonly enqueue: GroupCommit<NewRun, RunRecord>;
  readonly schedules: ScheduleStore;
  readonly definitions: DefinitionStore;
  readonly catalogue: ActivityCatalogue;
  readonly schemas: InputSchemas;
  readonly recurrences: Recurrences;
  readonly news: RunNews;
  readonly permissions: Permissions;
  /** Of runs that wait. */
  readonly quota: BacklogQuota;
  readonly metrics: RunMetrics;
  readonly times: ActivityTimes;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Refuses unless the caller is the app itself or holds the platform permission. */
export async function requireAccess(
  context: ActivityContext,
  caller: Caller,
  appName: string | undefined,
  permission: string,
): Promise<void> {
  if (caller.kind === "app" && caller.name === appName) return;
  await requirePermission(context.permissions, caller, permission);
}

/** The app that a request is about: the one it names, else the one that calls. */
export function appOf(caller: Caller, named: string | undefined): string {
  if (named !== undefined && named !== "") return named;
  if (caller.kind === "app") return caller.name;
  throw invalidField("app_name", "is required");
}
