/** A registered app that the platform runs. */
export interface SleepApp {
  readonly id: string;
  readonly name: string;
  /** `awake`: it serves, and nothing replaces it. `other`: it is neither awake nor asleep, as while it starts. */
  readonly is: "awake" | "asleep" | "other";
  /** Changes with each start. */
  readonly start: string;
}

/** The apps as this replica knows them. */
export interface SleepApps {
  all(): readonly SleepApp[];
}

/** What apps have to do without a request: hooks and runs. */
export interface WorkSource {
  /** Returns those of the apps that have work which is due, in any order. */
  due(appNames: readonly string[]): Promise<readonly string[]>;
  /** Returns those that have work in progress, or will have within a minute or two. */
  busy(appNames: readonly string[]): Promise<readonly string[]>;
}

/** How long apps may be idle, where an administrator has set it for one. */
export interface SleepSettings {
  /** Returns milliseconds by the id of the app. `never`: it never sleeps. */
  all(): Promise<ReadonlyMap<string, number | "never">>;
}

/** When apps were last in use, as all replicas know it. Times are the database's. */
export interface Uses {
  /** Stores that the apps are in use now. */
  mark(appIds: readonly string[]): Promise<void>;
  /** Returns the ids of the apps that nothing has used for their time. One that is not stored counts as used now. */
  idle(apps: readonly IdleQuery[]): Promise<readonly string[]>;
  /** Deletes what is stored of an app. */
  forget(appId: string): Promise<void>;
}

export interface IdleQuery {
  readonly appId: string;
  readonly idleMs: number;
}

/** Has apps put to sleep and woken. Both have no effect if the state of the app does not allow it. */
export interface Sleepers {
  sleep(appId: string): Promise<void>;
  wake(appId: string): Promise<void>;
}
