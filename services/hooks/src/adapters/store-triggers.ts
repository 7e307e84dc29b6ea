import { eventBody } from "@appserver/contracts/events";
import { recordKeyedWorks, uuidv7 } from "@appserver/kernel";
import type { AuditLog, Database, EventEnvelope, KeyedWork, Outbox, Transaction } from "@appserver/kernel/ports";
import { orderingGroupOf } from "../domain/delivery.ts";
import type { NewHookEvent, StoredDelivery } from "../ports.ts";
import { lockGroups } from "./ordering-groups.ts";

/** NOTIFY channel. The payload is the app that has due deliveries, or empty when subscriptions changed. */
export const hooksChannel = "appserver_hooks";

export interface TriggerWriterOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  /** CloudEvents source of this process. */
  readonly source: string;
  /** How long a subscription that only a stream created is kept after its stream was last open. */
  readonly streamSubscriptionMs: number;
}

interface StoredRow {
  event_id: string;
  id: number | null;
  app_name: string | null;
}

/** An event with the request that triggers it, if that has a key. */
export interface KeyedEvent {
  readonly event: NewHookEvent;
  readonly work: KeyedWork | undefined;
}

/**
 * Stores events with their deliveries and their `hook.triggered`, one batch in one transaction. The result of an event is undefined if
 * its request no longer has its key: then the event is not stored.
 */
export async function storeTriggers(
  options: TriggerWriterOptions,
  given: readonly KeyedEvent[],
): Promise<readonly (readonly StoredDelivery[] | undefined)[]> {
  const { rows, lost } = await options.database.transaction(async (tx) => {
    const lost = await recordKeyedWorks(
      tx,
      given.flatMap(({ event, work }) => (work ? [{ work, receipt: { eventId: event.id } }] : [])),
    );
    const events = given.flatMap(({ event, work }) => (work && lost.has(work) ? [] : [event]));
    return { rows: await storeEvents(tx, options, events), lost };
  });
  const byEvent = Map.groupBy(rows, ({ event_id }) => event_id);
  return given.map(({ event: { id }, work }) =>
    work && lost.has(work)
      ? undefined
      : (byEvent.get(id) ?? []).flatMap((row) =>
          row.id === null ? [] : [{ id: String(row.id), appName: row.app_name ?? "" }],
        ),
  );
}

async function storeEvents(
  tx: Transaction,
  options: TriggerWriterOptions,
  events: readonly NewHookEvent[],
): Promise<readonly StoredRow[]> {
  if (events.length === 0) return [];
  const groups = events.flatMap(({ sourceApp, orderingKey }) => {
    const orderingGroup = orderingGroupOf(sourceApp, orderingKey);
    return orderingGroup === undefined ? [] : [{ orderingGroup }];
  });
  await lockGroups(tx, groups);
  const stored = await insertEvents(tx, events, options.streamSubscriptionMs);
  const fresh = new Set(stored.map(({ event_id }) => event_id));
  await options.outbox.append(
    tx,
    events.filter(({ id }) => fresh.has(id)).map((event) => envelope(event, options.source)),
  );
  for (const { id, audit } of events) if (audit && fresh.has(id)) await options.audit.record(tx, audit);
  return stored;
}

/**
 * Inserts events that are not stored yet, each with a delivery for each subscriber, in order. A delivery waits while another of
 * its ordering group is open. Returns a row for each delivery, and one without a delivery for an event that has none.
 */
async function insertEvents(
  tx: Transaction,
  events: readonly NewHookEvent[],
  streamSubscriptionMs: number,
): Promise<readonly StoredRow[]> {
  const { rows } = await tx.query<StoredRow>(
    `with given as (
       select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[],
         $8::text[], $9::text[]) with ordinality as event (id, hook_name, source_app, data, ordering_key, triggered_at,
         triggered_by, traceparent, ordering_group, position)
     ), stored as (
       insert into hooks.events (id, hook_name, source_app, data, ordering_key, triggered_at, triggered_by, traceparent)
       select id, hook_name, source_app, data, ordering_key, triggered_at, triggered_by, traceparent from given
       on conflict (id) do nothing returning id
     ), fanned as (
       insert into hooks.deliveries (event_id, hook_name, app_name, ordering_group, due_at)
       select given.id, given.hook_name, subscription.app_name, given.ordering_group,
         case when given.ordering_group is not null and (
           row_number() over (partition by subscription.app_name, given.ordering_group order by given.position) > 1
           -- LIMIT keeps the planner from reading the whole table once instead of the index each time.
           or (select true from hooks.deliveries as open
               where open.app_name = subscription.app_name and open.ordering_group = given.ordering_group and open.due_at is not null limit 1)
             is not null
         ) then 'infinity' else now() end
       from given join stored on stored.id = given.id
       join hooks.subscriptions as subscription on subscription.hook_name = given.hook_name
       where subscription.disabled_at is null
         and (given.source_app is null or given.source_app = subscription.app_name
              or given.source_app = any (subscription.sources))
         and (subscription.declared or subscription.stream_seen_at > now() - $10 * interval '1 millisecond')
       order by given.position, subscription.app_name
       returning id, event_id, app_name
     )
     select stored.id as event_id, fanned.id, fanned.app_name,
       case when fanned.id is not null then pg_notify('${hooksChannel}', fanned.app_name) end
     from stored left join fanned on fanned.event_id = stored.id order by fanned.id`,
    [
      events.map(({ id }) => id),
      events.map(({ hookName }) => hookName),
      events.map(({ sourceApp }) => sourceApp ?? null),
      events.map(({ data }) => data),
      events.map(({ orderingKey }) => orderingKey ?? null),
      events.map(({ triggeredAt }) => triggeredAt),
      events.map(({ triggeredBy }) => triggeredBy),
      events.map(({ traceparent }) => traceparent ?? null),
      events.map(({ sourceApp, orderingKey }) => orderingGroupOf(sourceApp, orderingKey) ?? null),
      streamSubscriptionMs,
    ],
  );
  return rows;
}

function envelope(event: NewHookEvent, source: string): EventEnvelope {
  const at = event.triggeredAt.toISOString();
  return {
    id: uuidv7(),
    type: "hook.triggered",
    source,
    subject: event.subject.name,
    time: at,
    actor: event.triggeredBy,
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    body: {
      ...eventBody<"hook.triggered">(event.subject, at, {
        hookId: event.id,
        hookName: event.hookName,
        sourceApp: event.sourceApp ?? null,
        data: JSON.parse(event.data) as unknown,
      }),
    },
  };
}
