import type { EventEnvelope } from "../platform-ports/broker.ts";
import type { Transaction } from "../platform-ports/database.ts";
import type { Outbox } from "../platform-ports/outbox.ts";
import { currentTraceparent } from "../telemetry/current-trace.ts";

/** NOTIFY channel that wakes relays when new rows exist. */
export const outboxChannel = "appserver_outbox";

/**
 * Stores events as rows of `platform.outbox` in the caller's transaction. An {@link OutboxRelay} publishes them.
 *
 * The wake-up is a NOTIFY without payload, so PostgreSQL merges several in one transaction into one. Transactions that notify
 * commit one after the other (a lock over the whole server). So only transactions with events notify; never add a NOTIFY to a
 * path that writes at every request.
 *
 * An event without a `traceparent` gets that of the work that appends it.
 */
export class SqlOutbox implements Outbox {
  async append(tx: Transaction, events: readonly EventEnvelope[]): Promise<void> {
    if (events.length === 0) return;
    const traceparent = currentTraceparent();
    await tx.query(
      `with appended as (
         insert into platform.outbox (subject, event)
         select subject, event from unnest($1::text[], $2::json[]) with ordinality as given (subject, event, position)
         order by position
       )
       select pg_notify('${outboxChannel}', '')`,
      [events.map(({ subject }) => subject), events.map((event) => JSON.stringify(inTrace(event, traceparent)))],
    );
  }
}

function inTrace(event: EventEnvelope, traceparent: string | undefined): EventEnvelope {
  return traceparent === undefined || event.traceparent !== undefined ? event : { ...event, traceparent };
}
