import { advisoryLocks } from "../advisory-locks.ts";
import type { Clock } from "../clock.ts";
import { backoffMs } from "../concurrency/backoff.ts";
import { WakeUp } from "../concurrency/wake-up.ts";
import type { Component } from "../lifecycle.ts";
import type { Logger } from "../logger.ts";
import type { Broker, EventEnvelope } from "../platform-ports/broker.ts";
import type { Database, Subscription, Transaction } from "../platform-ports/database.ts";
import type { EventHistory } from "../platform-ports/event-history.ts";
import { outboxChannel } from "./sql-outbox.ts";

export interface OutboxRelayOptions {
  readonly database: Database;
  readonly broker: Broker;
  /** Stores what was published, in the transaction that removes it from the outbox. */
  readonly history: Pick<EventHistory, "append">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of events in one batch for the broker. Default 100. */
  readonly batchSize?: number;
  /** Interval of the search for rows that no notification announced, one statement each. Default 5 s. */
  readonly pollMs?: number;
  /** Pause while another process publishes: it may end before it has published everything. Default 1 s. */
  readonly waitMs?: number;
  /** First and maximum pause while the broker or the database is unreachable. Default 250 ms and 5 s. */
  readonly backoffMs?: readonly [first: number, longest: number];
}

interface OutboxRow {
  readonly id: number;
  readonly subject: string;
  readonly event: EventEnvelope;
}

/**
 * Publishes committed events of the outbox, each at least once, those of one subject in order, and moves the events that the
 * broker confirmed to the history. Any number of processes may run a relay. An advisory lock of the transaction allows one at a
 * time, and is released when its connection ends.
 *
 * Order: ids are assigned at insert, not at commit, so the rows of a slow transaction appear after rows with higher ids. There
 * is no high-water mark that could skip them: a row is open until it is deleted. For one subject, ids follow the order of
 * commits, because its writers are serialized: each changes the subject's versioned row in the same transaction, so of two
 * concurrent writers the second waits for the first or fails on the version. There is no order between subjects.
 */
export class OutboxRelay implements Component {
  readonly name = "outbox-relay";
  readonly #options: Required<OutboxRelayOptions>;
  readonly #stopping = new AbortController();
  /** Subjects whose events the broker refuses while it accepts others, with the time of the next attempt (monotonic). */
  readonly #setAside = new Map<string, number>();
  readonly #wakeUp: WakeUp;
  #listening: Subscription | undefined;
  #running: Promise<void> | undefined;

  constructor(options: OutboxRelayOptions) {
    this.#options = { batchSize: 100, pollMs: 5_000, waitMs: 1_000, backoffMs: [250, 5_000], ...options };
    this.#wakeUp = new WakeUp(options.clock, this.#stopping.signal);
  }

  /** Does not wait for the broker or the database: the relay continues when they are reachable. */
  start(): void {
    this.#running = this.#run();
  }

  /** Finishes the current batch. The other events stay for the next relay. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#listening?.close();
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#options;
    const [firstMs, maxMs] = this.#options.backoffMs;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      this.#wakeUp.reset();
      try {
        this.#listening ??= await this.#listen();
        const pauseMs = await this.#relay();
        if (failures > 0) logger.info({ failures }, "outbox: publishing works again");
        failures = 0;
        await this.#wakeUp.pause(pauseMs);
      } catch (error) {
        failures += 1;
        // Only the first failure of an outage is a warning.
        if (failures === 1) logger.warn({ err: error }, "outbox: could not publish events; retrying");
        else logger.debug({ err: error }, "outbox: could not publish events; retrying");
        await clock.sleep(backoffMs(failures, { firstMs, maxMs }), signal).catch(() => {});
      }
    }
  }

  #listen(): Promise<Subscription> {
    const onNotification = (): void => this.#wakeUp.wake();
    return this.#options.database.listen(outboxChannel, onNotification, onNotification);
  }

  /** Publishes what is ready. Returns how long to wait for a notification before the next look. */
  async #relay(): Promise<number> {
    const { pollMs, waitMs } = this.#options;
    while (!this.#stopping.signal.aborted && (await this.#isAnyReady())) {
      if (!(await this.#relayBatch())) return waitMs;
    }
    return pollMs;
  }

  /** An idle platform asks only this: a transaction with the lock would be four statements. */
  async #isAnyReady(): Promise<boolean> {
    const now = this.#options.clock.monotonic();
    for (const [subject, until] of this.#setAside) if (until <= now) this.#setAside.delete(subject);
    const { count } = await this.#options.database.query(
      "select 1 from platform.outbox where subject <> all($1::text[]) limit 1",
      [[...this.#setAside.keys()]],
    );
    return count > 0;
  }

  /** Returns false if another relay has the lock. */
  async #relayBatch(): Promise<boolean> {
    return this.#options.database.transaction(async (tx) => {
      const { rows: locks } = await tx.query<{ mine: boolean }>("select pg_try_advisory_xact_lock($1) as mine", [
        advisoryLocks.outboxRelay,
      ]);
      if (!locks[0]?.mine) return false;
      const rows = await this.#nextRows(tx);
      if (rows.length === 0) return true;
      const confirmed = await this.#publish(rows);
      await this.#options.history.append(tx, confirmed.map(toEvent));
      await tx.query("delete from platform.outbox where id = any($1)", [confirmed.map(({ id }) => id)]);
      return true;
    });
  }

  async #nextRows(tx: Transaction): Promise<readonly OutboxRow[]> {
    const { rows } = await tx.query<OutboxRow>(
      "select id, subject, event from platform.outbox where subject <> all($1::text[]) order by id limit $2",
      [[...this.#setAside.keys()], this.#options.batchSize],
    );
    return rows;
  }

  /** Returns the rows that the broker confirmed. Rejects if the broker is unreachable. */
  async #publish(rows: readonly OutboxRow[]): Promise<readonly OutboxRow[]> {
    const { broker } = this.#options;
    try {
      await broker.publish(rows.map(toEvent));
      return rows;
    } catch (error) {
      // The broker responds, so it refused one of these events. Publishing each alone keeps it from blocking the rest.
      if (!(await answers(broker))) throw error;
      return this.#publishSingly(rows);
    }
  }

  async #publishSingly(rows: readonly OutboxRow[]): Promise<readonly OutboxRow[]> {
    const { broker, clock, logger, backoffMs } = this.#options;
    const confirmed: OutboxRow[] = [];
    for (const row of rows) {
      // Later events of the subject wait behind a refused one.
      if (this.#setAside.has(row.subject)) continue;
      try {
        await broker.publish([toEvent(row)]);
        confirmed.push(row);
      } catch (error) {
        // The broker has become unreachable. The next batch fails and backs off.
        if (!(await answers(broker))) return confirmed;
        this.#setAside.set(row.subject, clock.monotonic() + backoffMs[1]);
        const fields = { err: error, event: row.event.id, subject: row.subject };
        logger.error(fields, "outbox: the broker refused an event; later events of its subject wait");
      }
    }
    return confirmed;
  }
}

/** The row's id is also the event's sequence: it grows within a subject in the order of commits. */
function toEvent({ id, event }: OutboxRow): EventEnvelope {
  return event.sequence === undefined ? { ...event, sequence: id } : event;
}

async function answers(broker: Broker): Promise<boolean> {
  return broker.ping().then(
    () => true,
    () => false,
  );
}
