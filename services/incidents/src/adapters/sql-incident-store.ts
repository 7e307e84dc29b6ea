import { eventBody } from "@appserver/contracts/events";
import { type Clock, Conditions, column, columns, uuidv7 } from "@appserver/kernel";
import type { Database, Outbox, Transaction } from "@appserver/kernel/ports";
import {
  appNamed,
  type CurrentIncident,
  type Incident,
  type IncidentApp,
  type IncidentKind,
  type Problem,
} from "../domain/incident.ts";
import type { EventMeaning, IncidentFilter, IncidentStore } from "../ports.ts";

export interface SqlIncidentStoreOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/** The subject of events that concern no app (docs/interface/events.md#body). */
const platformApp = appNamed("appserver");

const incidents = columns<Incident>({
  id: column,
  kind: column,
  subject: column,
  appName: column,
  message: column,
  openedAt: column,
  closedAt: column,
});

const currentIncidents = columns<CurrentIncident>({
  id: column,
  kind: column,
  subject: column,
  appName: column,
  message: column,
  openedAt: column,
  lastedMs: { expression: "(extract(epoch from now() - noticed_at) * 1000)::float8" },
});

interface Announced {
  readonly id: string;
  readonly kind: IncidentKind;
  readonly subject: string;
  readonly message: string;
  readonly app: IncidentApp | undefined;
}

/** Incidents in PostgreSQL, schema `incidents`. Times are the database's, so that replicas with different clocks agree. */
export class SqlIncidentStore implements IncidentStore {
  readonly #options: SqlIncidentStoreOptions;

  constructor(options: SqlIncidentStoreOptions) {
    this.#options = options;
  }

  async current(): Promise<readonly CurrentIncident[]> {
    const { rows } = await this.#options.database.query(
      `select ${currentIncidents.selected} from incidents.incidents where closed_at is null order by id`,
    );
    return rows.map(currentIncidents.record);
  }

  notice(kind: IncidentKind, problem: Problem): Promise<void> {
    return this.#options.database.transaction((tx) => this.#insert(tx, kind, problem, (problem.afterMs ?? 0) === 0));
  }

  async open({ id, kind, subject }: CurrentIncident, { message, app }: Problem): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      const { count } = await tx.query(
        "update incidents.incidents set opened_at = now(), message = $2 where id = $1 and opened_at is null and closed_at is null",
        [id, message],
      );
      if (count > 0) await this.#announce(tx, "incident.opened", { id, kind, subject, message, app });
    });
  }

  async close({ id, openedAt, ...current }: CurrentIncident, message: string): Promise<void> {
    const { database } = this.#options;
    if (openedAt === undefined) {
      await database.query("delete from incidents.incidents where id = $1 and opened_at is null", [id]);
      return;
    }
    await database.transaction((tx) => this.#close(tx, { id, ...current }, message));
  }

  async position(first: string): Promise<string> {
    const { database } = this.#options;
    const read = () => database.query<{ last_event_id: string }>("select last_event_id from incidents.position");
    const [known] = (await read()).rows;
    if (known) return known.last_event_id;
    await database.query("insert into incidents.position (last_event_id) values ($1) on conflict do nothing", [first]);
    return (await read()).rows[0]?.last_event_id ?? first;
  }

  async apply(after: string, last: string, meanings: readonly EventMeaning[]): Promise<void> {
    await this.#options.database.transaction(async (tx) => {
      const { count } = await tx.query("update incidents.position set last_event_id = $2 where last_event_id = $1", [
        after,
        last,
      ]);
      if (count === 0) return;
      for (const meaning of meanings) await this.#applyOne(tx, meaning);
    });
  }

  async list(filter: IncidentFilter, limit: number, before: string | undefined): Promise<readonly Incident[]> {
    const where = conditions(filter);
    if (before !== undefined)
      where.add(
        "((closed_at is null), id) < (select (closed_at is null), id from incidents.incidents where id = ?::uuid)",
        before,
      );
    const { rows } = await this.#options.database.query(
      `select ${incidents.selected} from incidents.incidents where ${where.text}
       order by (closed_at is null) desc, id desc limit ${limit}`,
      where.values,
    );
    return rows.map(incidents.record);
  }

  async count(filter: IncidentFilter): Promise<number> {
    const { text, values } = conditions(filter);
    const { rows } = await this.#options.database.query<{ count: number }>(
      `select count(*)::int as count from incidents.incidents where ${text}`,
      values,
    );
    return rows[0]?.count ?? 0;
  }

  async #applyOne(tx: Transaction, { kind, subject, effect, message, app }: EventMeaning): Promise<void> {
    if (effect !== "closes") await this.#insert(tx, kind, { subject, message, app }, true, effect === "passes");
    else {
      const { rows } = await tx.query<{ id: string; app_name: string | null }>(
        "select id, app_name from incidents.incidents where kind = $1 and subject = $2 and closed_at is null for update",
        [kind, subject],
      );
      for (const { id, app_name } of rows)
        await this.#close(tx, { id, kind, subject, appName: app_name ?? undefined }, message);
    }
  }

  /** Of two processes that notice the same, the second one changes nothing. */
  async #insert(
    tx: Transaction,
    kind: IncidentKind,
    { subject, message, app }: Problem,
    isOpen: boolean,
    isOver = false,
  ): Promise<void> {
    const id = uuidv7();
    const { count } = await tx.query(
      `insert into incidents.incidents (id, kind, subject, app_name, message, noticed_at, opened_at, closed_at)
       values ($1, $2, $3, $4, $5, now(), case when $6 then now() end, case when $7 then now() end)
       on conflict (kind, subject) where closed_at is null do nothing`,
      [id, kind, subject, app?.name ?? null, message, isOpen, isOver],
    );
    if (count > 0 && isOpen) await this.#announce(tx, "incident.opened", { id, kind, subject, message, app });
  }

  async #close(
    tx: Transaction,
    { id, kind, subject, appName }: Pick<CurrentIncident, "id" | "kind" | "subject" | "appName">,
    message: string,
  ): Promise<void> {
    const { count } = await tx.query("update incidents.incidents set closed_at = now() where id = $1 and closed_at is null", [
      id,
    ]);
    if (count === 0) return;
    const app = appName === undefined ? undefined : appNamed(appName);
    await this.#announce(tx, "incident.closed", { id, kind, subject, message, app });
  }

  async #announce(
    tx: Transaction,
    type: "incident.opened" | "incident.closed",
    { id: incidentId, kind, subject, message, app = platformApp }: Announced,
  ): Promise<void> {
    const { outbox, clock, source } = this.#options;
    const time = new Date(clock.now()).toISOString();
    const body = { ...eventBody<typeof type>(app, time, { incidentId, kind, subject, message }) };
    await outbox.append(tx, [{ id: uuidv7(), type, source, subject: app.name, time, body }]);
  }
}

function conditions({ isOpen }: IncidentFilter): Conditions {
  const where = new Conditions();
  where.addFixed("opened_at is not null");
  if (isOpen !== undefined) where.addFixed(`closed_at is ${isOpen ? "" : "not "}null`);
  return where;
}
