import type { EventEnvelope } from "../platform-ports/broker.ts";
import type { Transaction } from "../platform-ports/database.ts";
import type { Outbox } from "../platform-ports/outbox.ts";
import { currentTraceparent } from "../telemetry/current-trace.ts";

/** NOTIFY channel that tells relays of new rows. */
export const outboxChannel = "appserver_outbox";

/**
 * Events as rows of `platform.outbox`, written in the caller's transaction; an {@link OutboxRelay} publishes them.
 *
 * The wake-up is a NOTIFY without payload, so PostgreSQL folds many of one transaction into one. Transactions that notify
 * commit one after the other (a lock over the whole server); that is why only transactions with events do it, and why
 * it must not be added to paths that write at every request.
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
