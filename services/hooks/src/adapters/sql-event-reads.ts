import { Conditions } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { EventSummary } from "../domain/delivery.ts";
import type { EventFilter, EventReads } from "../ports.ts";
import { eventSummaries, isOfHook, isOfTraces } from "./delivery-rows.ts";

/** Reads events in PostgreSQL. Their ids sort by time. */
export class SqlEventReads implements EventReads {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  async list(filter: EventFilter, limit: number, before: string | undefined): Promise<readonly EventSummary[]> {
    const where = conditions(filter);
    if (before !== undefined) where.add("id < ?::uuid", before);
    return this.#select(`where ${where.text} order by id desc limit ${limit}`, where.values);
  }

  async count(filter: EventFilter): Promise<number> {
    const { text, values } = conditions(filter);
    const { rows } = await this.#sql.query<{ count: number }>(`select count(*) from hooks.events where ${text}`, values);
    return rows[0]?.count ?? 0;
  }

  async find(id: string, concerning: string | undefined): Promise<EventSummary | undefined> {
    const where = conditions({ concerning });
    where.add("id = ?::uuid", id);
    const [found] = await this.#select(`where ${where.text}`, where.values);
    return found;
  }

  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly EventSummary[]> {
    return this.#select(`where ${isOfTraces} order by triggered_at, id limit $2`, [traceIds, limit]);
  }

  async data(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#sql.query<{ id: string; data: string }>(
      "select id, data from hooks.events where id = any($1::uuid[])",
      [ids],
    );
    return new Map(rows.map(({ id, data }) => [id, data]));
  }

  async #select(rest: string, values: readonly unknown[]): Promise<readonly EventSummary[]> {
    const { rows } = await this.#sql.query(`select ${eventSummaries.selected} from hooks.events ${rest}`, values);
    return rows.map(eventSummaries.record);
  }
}

function conditions({ hookName, sourceApp, concerning }: EventFilter): Conditions {
  const where = new Conditions();
  where.addFixed(isOfHook);
  if (hookName !== undefined) where.add("hook_name = ?", hookName);
  if (sourceApp !== undefined) where.add("source_app = ?", sourceApp);
  if (concerning !== undefined)
    where.add(
      "(source_app = ? or exists (select 1 from hooks.deliveries d where d.event_id = events.id and d.app_name = ?))",
      concerning,
    );
  return where;
}
