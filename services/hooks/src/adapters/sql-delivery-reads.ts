import { Conditions } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { Delivery, DeliveryStatus } from "../domain/delivery.ts";
import { subscriberOf } from "../domain/targets/target.ts";
import type { DeadLetterHolder, DeliveryFilter, DeliveryReads, UnfinishedStatus } from "../ports.ts";
import { deliveries, isOfTraces, isToApp } from "./delivery-rows.ts";

/** Every worker counts at every scrape, so the count must stay cheap even with a very large backlog. */
const maxCounted = 10_000;

const shown: Readonly<Partial<Record<DeliveryStatus, UnfinishedStatus>>> = {
  PENDING: "waiting",
  SENDING: "sending",
  RETRYING: "retrying",
};

/** Reads deliveries in PostgreSQL. */
export class SqlDeliveryReads implements DeliveryReads {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  async list(filter: DeliveryFilter, limit: number, before: string | undefined): Promise<readonly Delivery[]> {
    const { text, values } = conditions(filter, before);
    const { rows } = await this.#sql.query(
      `select ${deliveries.selected} from hooks.deliveries where ${text} order by id desc limit ${limit}`,
      values,
    );
    return rows.map(deliveries.record);
  }

  async count(filter: DeliveryFilter): Promise<number> {
    const { text, values } = conditions(filter);
    const { rows } = await this.#sql.query<{ count: number }>(`select count(*) from hooks.deliveries where ${text}`, values);
    return rows[0]?.count ?? 0;
  }

  async find(id: string) {
    const { rows } = await this.#sql.query<{ source_app: string | null }>(
      `select ${deliveries.selected}, (select source_app from hooks.events where events.id = event_id) as source_app
       from hooks.deliveries where id = $1`,
      [id],
    );
    return rows[0] && { ...deliveries.record(rows[0]), sourceApp: rows[0].source_app ?? undefined };
  }

  async ofEvent(eventId: string): Promise<readonly Delivery[]> {
    const { rows } = await this.#sql.query(
      `select ${deliveries.selected} from hooks.deliveries where event_id = $1 order by id`,
      [eventId],
    );
    return rows.map(deliveries.record);
  }

  async ofTraces(traceIds: readonly string[], limit: number): Promise<readonly Delivery[]> {
    const { rows } = await this.#sql.query(
      `select ${deliveries.selected} from hooks.deliveries
       where event_id = any (array(select id from hooks.events where ${isOfTraces})) order by id limit $2`,
      [traceIds, limit],
    );
    return rows.map(deliveries.record);
  }

  async unfinished(): Promise<ReadonlyMap<UnfinishedStatus, number>> {
    const { rows } = await this.#sql.query<{ status: DeliveryStatus; count: number }>(
      // Ordered by an index: otherwise the planner might expect many rows and read the whole table.
      `select status, count(*)::int as count from (
         select status from hooks.deliveries where due_at is not null order by app_name, due_at, id limit ${maxCounted}
       ) as unfinished group by status`,
    );
    const counts = new Map<UnfinishedStatus, number>([
      ["waiting", 0],
      ["sending", 0],
      ["retrying", 0],
    ]);
    for (const { status, count } of rows) {
      const name = shown[status];
      if (name) counts.set(name, count);
    }
    return counts;
  }

  async dueApps(appNames: readonly string[]): Promise<readonly string[]> {
    return await this.#appsWith("delivery.due_at <= now()", appNames);
  }

  async busyApps(appNames: readonly string[]): Promise<readonly string[]> {
    return await this.#appsWith("(delivery.due_at <= now() or delivery.due_at is not null and status = 'SENDING')", appNames);
  }

  async #appsWith(condition: string, appNames: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.#sql.query<{ name: string }>(
      `select name from unnest($1::text[]) as name
       where exists (select from hooks.deliveries as delivery where delivery.app_name = name and ${condition})`,
      [appNames],
    );
    return rows.map(({ name }) => name);
  }

  async deadLetters(): Promise<number> {
    const { rows } = await this.#sql.query<{ count: number }>(
      `select count(*)::int as count from (
         select 1 from hooks.deliveries where status = 'DEAD' order by hook_name, id limit ${maxCounted}
       ) as dead`,
    );
    return rows[0]?.count ?? 0;
  }

  async deadLetterHolders(): Promise<readonly DeadLetterHolder[]> {
    // Reads one row of the index for each subscriber, however many letters it has.
    const next = (after: string): string =>
      `(select app_name from hooks.deliveries where status = 'DEAD' ${after} order by app_name limit 1)`;
    const { rows } = await this.#sql.query<{ name: string; target_id: string | null }>(
      `with recursive holder as (
         select ${next("")} as app_name
         union all select ${next("and app_name > holder.app_name")} from holder where holder.app_name is not null
       )
       select coalesce(target.name, holder.app_name) as name, target.id as target_id
       from holder left join hooks.targets as target on target.subscriber = holder.app_name
       where holder.app_name is not null and (target.id is not null or ${isToApp})`,
    );
    return rows.map(({ name, target_id }) => ({ name, targetId: target_id ?? undefined }));
  }

  async waitingOf(sourceApp: string, limit: number): Promise<number> {
    const { rows } = await this.#sql.query<{ count: number }>(
      `select count(*)::int as count from (
         select 1 from hooks.deliveries d join hooks.events e on e.id = d.event_id
         where d.due_at is not null and e.source_app = $1 limit $2
       ) as waiting`,
      [sourceApp, limit],
    );
    return rows[0]?.count ?? 0;
  }
}

function conditions({ hookName, appName, targetId, status, eventId, concerning }: DeliveryFilter, before?: string) {
  const where = new Conditions();
  if (targetId === undefined) where.addFixed(isToApp);
  else where.add("app_name = ?", subscriberOf(targetId));
  if (hookName !== undefined) where.add("hook_name = ?", hookName);
  if (appName !== undefined) where.add("app_name = ?", appName);
  if (status !== undefined) where.add("status = ?", status);
  if (eventId !== undefined) where.add("event_id = ?::uuid", eventId);
  if (concerning !== undefined)
    where.add(
      "(app_name = ? or exists (select 1 from hooks.events where events.id = event_id and source_app = ?))",
      concerning,
    );
  if (before !== undefined) where.add("id < ?::bigint", before);
  return where;
}
