import type { Clock, Component, Logger } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { SqlUses } from "./adapters/sql-uses.ts";
import type { SleepApps, Sleepers, SleepSettings, WorkSource } from "./ports.ts";
import { IdleWatch } from "./workers/idle-watch.ts";

export { sleepMigrations } from "../migrations/index.ts";
export type { SleepApp, SleepSettings, WorkSource } from "./ports.ts";

export interface SleepDeps {
  readonly database: Database;
  readonly apps: SleepApps;
  /** Returns the names of the apps that proxied requests use now, or have used since the last call. */
  readonly takeUsed: () => readonly string[];
  readonly work: readonly WorkSource[];
  readonly settings: SleepSettings;
  readonly deployments: Sleepers;
  /** How long an app may be idle, unless its setting says otherwise. Undefined: it does not sleep. Milliseconds. */
  readonly sleepAfterMs: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Puts idle apps to sleep and wakes them for their work, from its start until its stop. */
export interface Sleep extends Component {
  /** Deletes what is stored of an app. */
  forget(appId: string): Promise<void>;
}

/** Needs {@link sleepMigrations}. */
export function createSleep({ database, deployments, ...deps }: SleepDeps): Sleep {
  const uses = new SqlUses(database);
  const tasks = new IdleWatch({ ...deps, uses, sleepers: deployments }).tasks();
  return {
    name: "sleep",
    start: () => tasks.start(),
    stop: () => tasks.stop(),
    forget: (appId) => uses.forget(appId),
  };
}
