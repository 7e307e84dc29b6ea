import assert from "node:assert/strict";
import { afterEach, beforeEach } from "node:test";
import type { Database, EventEnvelope } from "@appserver/kernel/ports";
import {
  callBy,
  createTestDatabase,
  eventually,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import type { Hooks, PushTransport, TargetsDeps } from "../src/index.ts";
import {
  type ChangedOptions,
  callerOf,
  migrateHooks,
  type Replica,
  startReplica,
  TestApps,
  TestTransport,
} from "./hooks-under-test.ts";
import { Subscriber, type SubscriberOptions } from "./subscriber.ts";

export const notes = "com.example.notes";
export const clock = "com.example.clock";
export const created = `${notes}.created`;
/** Four attempts within a short time. */
export const quick: ChangedOptions = { retry: { delaysMs: [50, 50, 50], freeDisconnects: 3 } };

interface StoredDelivery {
  readonly status: string;
  readonly attempt: number;
  readonly failures: number;
}

/** Returns the test setup of the calling suite: for each test an empty database and no apps. */
export function hooksHome(): HooksHome {
  const home = new HooksHome();
  beforeEach(() => home.open());
  afterEach(() => home.close());
  return home;
}

/** The setup of one test: a database, apps, and the replicas and subscribers that it starts. */
export class HooksHome {
  apps = new TestApps();
  #replicas: Replica[] = [];
  #subscribers: Subscriber[] = [];
  #server: TestPostgres | undefined;
  #test: TestDatabase | undefined;

  get database(): Database {
    return this.#test?.database ?? assert.fail("only a test has a database");
  }

  async open(): Promise<void> {
    this.#server = await startTestPostgres();
    this.#test = await createTestDatabase(this.#server);
    await migrateHooks(this.database);
    this.apps = new TestApps();
    this.#replicas = [];
    this.#subscribers = [];
  }

  async close(): Promise<void> {
    for (const subscriber of this.#subscribers) await subscriber.vanish();
    for (const replica of this.#replicas) await replica.stop();
    await this.#test?.stop();
    await this.#server?.stop();
  }

  /** Starts another replica. */
  async start(
    changed: ChangedOptions = {},
    transport: PushTransport = new TestTransport(),
    targets: Partial<TargetsDeps> = {},
  ): Promise<Hooks> {
    const replica = await startReplica(this.database, this.apps, changed, transport, undefined, targets);
    this.#replicas.push(replica);
    return replica.hooks;
  }

  /** Opens a stream of the app `name` and waits until it is stored. */
  async subscribe(hooks: Hooks, name: string, options: SubscriberOptions = {}): Promise<Subscriber> {
    const streamCount = async () => (await this.database.query("select 1 from hooks.streams")).count;
    const earlier = await streamCount();
    const subscriber = new Subscriber(hooks, callerOf(name), options);
    this.#subscribers.push(subscriber);
    await eventually(streamCount, (count) => count > earlier);
    return subscriber;
  }

  /** Returns the stored deliveries in the order of their triggers. */
  async stored(): Promise<readonly StoredDelivery[]> {
    const text = "select status, attempt, failures from hooks.deliveries order by id";
    return (await this.database.query<StoredDelivery>(text)).rows;
  }

  async statuses(): Promise<string[]> {
    return (await this.stored()).map(({ status }) => status);
  }

  /** Waits until there are `count` deliveries, all with this status. */
  async allAre(status: string, count: number): Promise<void> {
    await eventually(
      () => this.statuses(),
      (seen) => seen.length === count && seen.every((each) => each === status),
    );
  }

  /** Returns the events about dead letters that wait for their publication, in the order in which they were stored. */
  async deadLetters(): Promise<readonly EventEnvelope[]> {
    const { rows } = await this.database.query<{ event: EventEnvelope }>(
      "select event from platform.outbox where event->>'type' = 'hook.dead_lettered' order by id",
    );
    return rows.map(({ event }) => event);
  }
}

/** Triggers a hook as the app `notes`. */
export function trigger(hooks: Hooks, data: unknown = {}, orderingKey?: string, name = created) {
  return hooks.trigger({ name, data, orderingKey }, callBy(callerOf(notes)));
}

/** Returns hooks of a manifest without paths: only streams receive them. */
export function declared(...hookNames: readonly string[]): Readonly<Record<string, undefined>> {
  return Object.fromEntries(hookNames.map((name) => [name, undefined]));
}
