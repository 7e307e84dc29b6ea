import { createSecretKey, type KeyObject } from "node:crypto";
import { authorizationMigrations, EmbeddedAuthorization, SqlTupleStore } from "@appserver/authorization-embedded";
import { brokerMigrations } from "@appserver/broker-postgres";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import { type Caller, type Clock, platformMigrations, SqlOutbox, SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import {
  AuthorizedPermissions,
  createTestDatabase,
  RecordingMetrics,
  recordsMigrations,
  SqlAuditLog,
  startTestPostgres,
  type TestDatabase,
} from "@appserver/testing/kit";
import { type ActivityDefinition, definitionDefaults } from "../src/domain/activity-definition.ts";
import {
  type Activity,
  type ActivityApp,
  type ActivityTimes,
  activityMigrations,
  activityOf,
  activityParts,
  type RunTransport,
} from "../src/index.ts";
import type { ActivityContext } from "../src/use-cases/context.ts";

export const notes = "com.example.notes";
export const app: Caller = { kind: "app", name: notes, id: "1" };
export const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
/** The id of no run and of no schedule. */
export const unknown = "01980000-0000-7000-8000-000000000009";

/** Signs POSTs to the backends of apps. */
export const platformKey: Uint8Array = new Uint8Array(32).fill(7);
/** Shared with the backends. */
export const forwardKey: KeyObject = createSecretKey(new Uint8Array(32).fill(8));

const unreachable: RunTransport = { ask: () => Promise.reject(new Error("the test has no backend")) };

/** Returns an activity with defaults, overridden by `fields`. */
export function testDefinition(fields: Partial<ActivityDefinition> & { readonly name: string }): ActivityDefinition {
  return {
    inputSchema: undefined,
    timeoutMs: definitionDefaults.timeoutMs,
    maxRetries: definitionDefaults.maxRetries,
    concurrency: undefined,
    singletonKey: undefined,
    schedule: undefined,
    path: undefined,
    ...fields,
  };
}

/** One replica of the service. Its context allows tests to invoke use cases and stores directly. */
export interface Replica extends Activity {
  readonly context: ActivityContext;
}

/** The service over a real database, with configurable installed apps. */
export interface TestActivity {
  readonly activity: Replica;
  readonly database: TestDatabase["database"];
  readonly apps: Map<string, ActivityApp>;
  /** Metrics of all replicas together. */
  readonly metrics: RecordingMetrics;
  /** Starts another replica on the same database; it is stopped with the first. */
  replica(): Promise<Replica>;
  /** Returns the `activity.executed` events written so far, by run. */
  executed(): Promise<readonly { readonly runId: string; readonly status: string }[]>;
  stop(): Promise<void>;
}

/** Stores the schedules of an app's manifest. */
export async function declare({ activity, database }: TestActivity, app: ActivityApp): Promise<void> {
  await database.transaction(await activity.declarations(app));
}

/** Ticks are an hour apart, so that no periodic work runs within a test. */
const unhurried: Partial<ActivityTimes> = { tickMs: 3_600_000 };

export async function startActivity(
  activities: readonly ActivityDefinition[],
  options: {
    readonly clock?: Clock;
    readonly times?: Partial<ActivityTimes>;
    readonly maxQueuedRunsPerApp?: number;
    readonly transport?: RunTransport;
  } = {},
): Promise<TestActivity> {
  const server = await startTestPostgres();
  const test = await createTestDatabase(server);
  const { database } = test;
  await database.migrate([
    ...platformMigrations,
    ...recordsMigrations,
    ...brokerMigrations,
    ...authorizationMigrations,
    ...activityMigrations,
  ]);
  const clock = options.clock ?? new SystemClock();
  const logger = silentLogger;
  const store = new SqlTupleStore(database);
  const authorization = new EmbeddedAuthorization({ model: authorizationModel, store, clock, logger });
  await authorization.start();
  await authorization.write({ writes: [...initialTuples, { user: "user:admin", relation: "assignee", object: "role:easy" }] });
  const app: ActivityApp = { id: uuidv7(), name: notes, version: "1.0.0", activities };
  const other: ActivityApp = { ...app, id: uuidv7(), name: "com.example.clock" };
  const apps = new Map([app, other].map((each) => [each.name, each]));
  const directory = { get: (name: string) => apps.get(name), all: () => [...apps.values()] };
  const outbox = new SqlOutbox();
  const audit = new SqlAuditLog({ database, clock });
  const metrics = new RecordingMetrics();
  const times = { ...unhurried, ...options.times };
  const source = "/appserver/test";
  const running: Replica[] = [];
  const replica = async (): Promise<Replica> => {
    const parts = activityParts({
      ...{ database, outbox, permissions: new AuthorizedPermissions(authorization), audit, metrics },
      ...{ apps: directory, clock, logger, source, times },
      maxQueuedRunsPerApp: options.maxQueuedRunsPerApp ?? 50_000,
      ...{ transport: options.transport ?? unreachable, forwardKeys: { of: () => forwardKey }, platformKeys: [platformKey] },
    });
    const activity = { ...activityOf(parts), context: parts.context };
    running.push(activity);
    await activity.start?.();
    return activity;
  };
  return {
    activity: await replica(),
    database,
    apps,
    metrics,
    replica,
    executed: async () => {
      const { rows } = await database.query<{ event: { type: string; body: { runId: string; status: string } } }>(
        "select event from platform.outbox order by id",
      );
      return rows.flatMap(({ event }) =>
        event.type === "activity.executed" ? [{ runId: event.body.runId, status: event.body.status }] : [],
      );
    },
    stop: async () => {
      for (const activity of running) await activity.stop?.();
      await authorization.stop();
      await test.stop();
      await server.stop();
    },
  };
}
