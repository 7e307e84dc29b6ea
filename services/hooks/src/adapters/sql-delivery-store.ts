import { type Clock, currentKeyedWork, GroupCommit, isCausedByOneItem, keyedWorkLost } from "@appserver/kernel";
import type { AuditRecord, Database } from "@appserver/kernel/ports";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type {
  DeadRange,
  DeliveryStore,
  DeliveryWant,
  EventSubject,
  FinishedAttempt,
  NewHookEvent,
  StoredDelivery,
} from "../ports.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { disableSubscription } from "./disable-subscription.ts";
import { endWaits, probe } from "./end-waits.ts";
import { finishAttempts } from "./finish-attempts.ts";
import { type GroupedRow, groupsOf, lockGroups, moveOn } from "./ordering-groups.ts";
import { recoverDeliveries, resendDelivery } from "./replay-deliveries.ts";
import { type KeyedEvent, storeTriggers, type TriggerWriterOptions } from "./store-triggers.ts";

export interface SqlDeliveryStoreOptions extends TriggerWriterOptions {
  /** Who claims. */
  readonly replica: string;
  /** A delivery that is claimed, and without a stored result for this long, is due again, even while its replica seems to live. */
  readonly claimMs: number;
  readonly clock: Clock;
}

const batchItems = 200;
/** Only the next delivery of an ordering group waits for a result; in a batch, results cost the database a fraction. */
const finishGatherMs = 5;
const batchCharacters = 4 * 1024 * 1024;
const cleanStep = 2_000;
/** Maximum wait for a batch. The database driver detects a database that hangs earlier than this. */
const triggerDeadlineMs = 10_000;

/** Events and deliveries in PostgreSQL, schema `hooks`. */
export class SqlDeliveryStore implements DeliveryStore {
  readonly #database: Database;
  readonly #options: SqlDeliveryStoreOptions;
  readonly #triggers: GroupCommit<KeyedEvent, readonly StoredDelivery[] | undefined>;
  readonly #attempts: GroupCommit<FinishedAttempt, string | undefined>;

  constructor(options: SqlDeliveryStoreOptions) {
    this.#database = options.database;
    this.#options = options;
    this.#triggers = new GroupCommit((events) => storeTriggers(options, events), {
      maxItems: batchItems,
      maxWeight: batchCharacters,
      weigh: ({ event }) => event.data.length,
      ownerOf: ({ event }) => event.subject.name,
      isRetriedSingly: isCausedByOneItem,
      deadline: { clock: options.clock, ms: triggerDeadlineMs },
    });
    this.#attempts = new GroupCommit((attempts) => finishAttempts(options, attempts), {
      maxItems: batchItems,
      ownerOf: ({ delivery }) => delivery.appName,
      isRetriedSingly: isCausedByOneItem,
      gather: () => options.clock.sleep(finishGatherMs),
    });
  }

  async trigger(event: NewHookEvent): Promise<readonly StoredDelivery[]> {
    const stored = await this.#triggers.run({ event, work: currentKeyedWork() });
    if (!stored) throw keyedWorkLost();
    return stored;
  }

  claim(wants: readonly DeliveryWant[]): Promise<readonly ClaimedDelivery[]> {
    return claimDeliveries(this.#database, wants, this.#options.replica, this.#options.claimMs);
  }

  finish(attempt: FinishedAttempt): Promise<string | undefined> {
    return this.#attempts.run(attempt);
  }

  resend(id: string, audit: AuditRecord | undefined): Promise<boolean> {
    return resendDelivery(this.#options, id, audit);
  }

  recover(range: DeadRange, auditOf: (recovered: number) => AuditRecord | undefined): Promise<number> {
    return recoverDeliveries(this.#options, range, auditOf);
  }

  async cancel(eventId: string, reason: string): Promise<void> {
    const { rows } = await this.#database.query<GroupedRow>(
      `update hooks.deliveries set status = 'DROPPED', error = $2, due_at = null, claimed_by = null, updated_at = now()
       where event_id = $1 and due_at is not null returning app_name, ordering_group`,
      [eventId, JSON.stringify({ code: "CANCELED", message: reason })],
    );
    await this.#moveOn(rows);
  }

  async disable(subscriber: EventSubject, hookName: string, reason: string): Promise<void> {
    await this.#moveOn(await disableSubscription(this.#options, subscriber, hookName, { code: "GONE", message: reason }));
  }

  async clean(finishedMs: number, deadMs: number): Promise<number> {
    let deleted = 0;
    for (let step = cleanStep; step === cleanStep; deleted += step) {
      const { count } = await this.#database.query(
        `delete from hooks.deliveries where id = any (array(
           select delivery.id from hooks.events as event join hooks.deliveries as delivery on delivery.event_id = event.id
           where event.triggered_at < now() - $1 * interval '1 millisecond' and delivery.due_at is null
             and delivery.updated_at < now() - case status when 'DEAD' then $2 else $1 end::float8 * interval '1 millisecond'
           limit ${cleanStep}))`,
        [finishedMs, deadMs],
      );
      step = count;
    }
    await this.#database.query(
      `delete from hooks.events where triggered_at < now() - $1 * interval '1 millisecond'
         and not exists (select 1 from hooks.deliveries where event_id = events.id)`,
      [finishedMs],
    );
    return deleted;
  }

  async dropUnsubscribed(appName?: string): Promise<void> {
    for (let count = cleanStep; count === cleanStep; )
      ({ count } = await this.#database.query(
        `update hooks.deliveries set status = 'DROPPED', due_at = null, claimed_by = null, updated_at = now(),
           error = '{"code": "CANCELED", "message": "the app was uninstalled"}'
         where id = any (array(
           select id from hooks.deliveries where due_at is not null and ($1::text is null or app_name = $1)
             and not exists (select 1 from hooks.subscriptions where subscriptions.app_name = deliveries.app_name)
             and not exists (select 1 from hooks.targets where subscriber = deliveries.app_name)
           limit ${cleanStep}))`,
        [appName ?? null],
      ));
  }

  async forget(appName: string): Promise<void> {
    await this.#database.query("delete from hooks.subscriptions where app_name = $1", [appName]);
    for (const [table, column] of [
      ["deliveries", "app_name"],
      ["events", "source_app"],
    ] as const) {
      const rows = `select id from hooks.${table} where ${column} = $1 limit ${cleanStep}`;
      for (let count = cleanStep; count === cleanStep; )
        ({ count } = await this.#database.query(`delete from hooks.${table} where id = any (array(${rows}))`, [appName]));
    }
  }

  endWaits(appName: string, isOrdered: boolean): Promise<number> {
    return endWaits(this.#database, appName, isOrdered);
  }

  probe(appNames: readonly string[]): Promise<readonly string[]> {
    return probe(this.#database, appNames);
  }

  async wakeGroups(): Promise<void> {
    const { rows } = await this.#database.query<GroupedRow>(
      `select app_name, ordering_group from hooks.deliveries where ordering_group is not null and due_at is not null
       group by app_name, ordering_group having min(due_at) = 'infinity' limit 1000`,
    );
    await this.#moveOn(rows);
  }

  /** Makes the next deliveries of the ordering groups due. */
  async #moveOn(rows: readonly GroupedRow[]): Promise<void> {
    const groups = groupsOf(rows);
    if (groups.length === 0) return;
    await this.#database.transaction(async (tx) => {
      await lockGroups(tx, groups);
      await moveOn(tx, groups);
    });
  }
}
