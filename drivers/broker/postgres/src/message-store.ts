import type { Database, DeadLetter, EventEnvelope, QueueDepth, Transaction } from "@appserver/kernel/ports";

/** A message claimed by this process until its visibility expires. */
export interface ClaimedMessage {
  readonly id: number;
  readonly queue: string;
  readonly event: EventEnvelope;
  readonly attempt: number;
}

export interface RecentEvent {
  readonly id: number;
  readonly event: EventEnvelope;
}

/** NOTIFY channel of the broker; the payload is `<id in recent_events> <event type>`. */
export const brokerChannel = "appserver_broker";

/** Accesses the broker's tables. All times are the database's, so processes with different clocks agree. */
export class MessageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores all events in every queue bound to their type, or none. */
  async publish(events: readonly EventEnvelope[]): Promise<void> {
    await this.#database.transaction((tx) => publishIn(tx, events));
  }

  async declareQueue(name: string, eventType: string): Promise<void> {
    await this.#database.query("insert into broker.queues (name, event_type) values ($1, $2) on conflict do nothing", [
      name,
      eventType,
    ]);
  }

  /**
   * Claims up to `limit` due messages, only the oldest of each queue and subject: later ones wait until it is acknowledged or
   * dead. A claimed message becomes due again after `visibilityMs` unless extended.
   *
   * The query skips from subject to subject in the index, so the cost grows with the number of apps that have waiting messages,
   * not with the messages.
   */
  async claim(
    queues: readonly string[],
    claim: string,
    limit: number,
    visibilityMs: number,
  ): Promise<readonly ClaimedMessage[]> {
    const { rows } = await this.#database.query<ClaimedMessage>(
      `with recursive heads as (
         (select head.queue, head.subject, head.id
          from unnest($1::text[]) as wanted (queue)
          cross join lateral (
            select queue, subject, id from broker.messages m where m.queue = wanted.queue order by subject, id limit 1
          ) head)
         union all
         select head.queue, head.subject, head.id
         from heads previous
         cross join lateral (
           select queue, subject, id from broker.messages m
           where m.queue = previous.queue and m.subject > previous.subject order by subject, id limit 1
         ) head
       ), due as (
         select m.id from heads join broker.messages m on m.id = heads.id
         where m.visible_at <= clock_timestamp()
         order by m.id limit $3
         for update of m skip locked
       ), claimed as (
         update broker.messages m
         set attempt = attempt + 1, claim = $2, visible_at = clock_timestamp() + $4 * interval '1 millisecond'
         from due where m.id = due.id
         returning m.id, m.queue, m.event, m.attempt
       )
       select id, queue, event, attempt from claimed order by id`,
      [queues, claim, limit, visibilityMs],
    );
    return rows;
  }

  /** Extends the claims of messages whose handlers still run. */
  async extend(claim: string, ids: readonly number[], visibilityMs: number): Promise<void> {
    await this.#database.query(
      `update broker.messages set visible_at = clock_timestamp() + $3 * interval '1 millisecond'
       where id = any($2) and claim = $1`,
      [claim, ids, visibilityMs],
    );
  }

  /**
   * Acknowledges a message. Does nothing if the claim has expired and the message was delivered again: that delivery decides.
   */
  async acknowledge(claim: string, id: number): Promise<void> {
    await this.#database.query("delete from broker.messages where id = $2 and claim = $1", [claim, id]);
  }

  /** Makes messages due again after the delay. */
  async release(claim: string, ids: readonly number[], delayMs: number): Promise<void> {
    await this.#database.query(
      `update broker.messages set claim = null, visible_at = clock_timestamp() + $3 * interval '1 millisecond'
       where id = any($2) and claim = $1`,
      [claim, ids, delayMs],
    );
  }

  /** Makes the messages of every claim due. */
  async releaseAll(): Promise<void> {
    await this.#database.query(
      "update broker.messages set claim = null, visible_at = clock_timestamp() where claim is not null",
    );
  }

  async bury(claim: string, id: number, attempts: number, error: string): Promise<void> {
    await this.#database.query(
      `with dead as (delete from broker.messages where id = $2 and claim = $1 returning queue, event)
       insert into broker.dead_letters (queue, event, attempts, error) select queue, event, $3, $4 from dead`,
      // PostgreSQL's text cannot contain a NUL character.
      [claim, id, attempts, error.replaceAll("\0", "\uFFFD")],
    );
  }

  async deadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    const { rows } = await this.#database.query<DeadLetter>(
      "select event, queue, attempts, error, at from broker.dead_letters where queue = $1 order by id limit $2",
      [queue, limit],
    );
    return rows;
  }

  async depths(): Promise<readonly QueueDepth[]> {
    const { rows } = await this.#database.query<QueueDepth>(
      `select name as queue,
         (select count(*) from broker.messages where queue = name) as pending,
         (select count(*) from broker.dead_letters where queue = name) as dead
       from broker.queues order by name`,
    );
    return rows;
  }

  async recentEvents(ids: readonly number[]): Promise<readonly RecentEvent[]> {
    const { rows } = await this.#database.query<RecentEvent>(
      "select id, event from broker.recent_events where id = any($1) order by id",
      [ids],
    );
    return rows;
  }

  async recentEventsAfter(id: number): Promise<readonly RecentEvent[]> {
    const { rows } = await this.#database.query<RecentEvent>(
      "select id, event from broker.recent_events where id > $1 order by id",
      [id],
    );
    return rows;
  }

  async lastEventId(): Promise<number> {
    const { rows } = await this.#database.query<{ last: number }>(
      "select coalesce(max(id), 0) as last from broker.recent_events",
    );
    return rows[0]?.last ?? 0;
  }

  async forgetRecentEvents(olderThanMs: number): Promise<void> {
    await this.#database.query(
      "delete from broker.recent_events where published_at < clock_timestamp() - $1 * interval '1 millisecond'",
      [olderThanMs],
    );
  }
}

/**
 * The notification carries only the id, because its payload is limited to 8,000 bytes. Notifying transactions commit one after
 * the other over the whole server. This is acceptable for the events of one installation, and the relay publishes them in
 * batches.
 */
async function publishIn(tx: Transaction, events: readonly EventEnvelope[]): Promise<void> {
  await tx.query(
    `with given as materialized (
       select * from unnest($1::text[], $2::text[], $3::json[]) with ordinality as given (type, subject, event, position)
     ), queued as (
       insert into broker.messages (queue, subject, event)
       select queues.name, given.subject, given.event
       from given join broker.queues on queues.event_type = given.type
       order by given.position
     ), recent as (
       insert into broker.recent_events (type, event) select type, event from given order by position returning id, type
     )
     select pg_notify('${brokerChannel}', id || ' ' || type) from recent order by id`,
    [events.map(({ type }) => type), events.map(({ subject }) => subject), events.map((event) => JSON.stringify(event))],
  );
}
