import type { AuditLog, AuditRecord, Database, Transaction } from "@appserver/kernel/ports";
import type { DeclaredSchedules, ScheduleChange, ScheduleMoment, ScheduleRecord, ScheduleStore } from "../ports.ts";
import { advanceSchedule } from "./advance-schedule.ts";
import { saveDeclaredSchedules } from "./save-declared-schedules.ts";

interface ScheduleRow {
  id: string;
  app_name: string;
  activity: string;
  key: string;
  cron: string | null;
  interval_seconds: number | null;
  timezone: string;
  input: string | null;
  enabled: boolean;
  paused: boolean;
  declared: boolean;
  next_run_at: Date;
}

type NewSchedule = Omit<ScheduleRecord, "paused">;

const columns =
  "id, app_name, activity, key, cron, interval_seconds, timezone, input::text as input, enabled, paused, declared, next_run_at";

/** Stores schedules in PostgreSQL. */
export class SqlScheduleStore implements ScheduleStore {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(database: Database, audit: AuditLog) {
    this.#database = database;
    this.#audit = audit;
  }

  async declare(tx: Transaction, { appName, schedules }: DeclaredSchedules): Promise<void> {
    const { rows } = await tx.query<{ name: string }>("select name from activity.definitions where app_name = $1", [appName]);
    const registered = new Set(rows.map(({ name }) => name));
    const own = schedules.filter(({ activity }) => !registered.has(activity));
    await tx.query("delete from activity.schedules where app_name = $1 and declared and activity <> all ($2)", [
      appName,
      [...registered, ...own.map(({ activity }) => activity)],
    ]);
    if (own.length > 0) await saveDeclaredSchedules(tx, appName, own);
  }

  save(schedule: NewSchedule, auditOf: (saved: ScheduleRecord) => AuditRecord | undefined): Promise<ScheduleRecord> {
    return this.#database.transaction(async (tx) => {
      const saved = await this.#save(tx, schedule);
      const entry = auditOf(saved);
      if (entry) await this.#audit.record(tx, entry);
      return saved;
    });
  }

  async #save(sql: Transaction, schedule: NewSchedule): Promise<ScheduleRecord> {
    const { rows } = await sql.query<ScheduleRow>(
      `insert into activity.schedules as s (id, app_name, activity, key, cron, interval_seconds, timezone, input, enabled,
         declared, next_run_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8::json, $9, $10, $11, now())
       on conflict (app_name, activity, key) do update set cron = excluded.cron,
         interval_seconds = excluded.interval_seconds, timezone = excluded.timezone, input = excluded.input,
         enabled = excluded.enabled, declared = excluded.declared, next_run_at = excluded.next_run_at, updated_at = now()
       returning ${columns}`,
      [
        schedule.id,
        schedule.appName,
        schedule.activity,
        schedule.key,
        schedule.cron ?? null,
        schedule.intervalSeconds ?? null,
        schedule.timezone,
        schedule.input ?? null,
        schedule.enabled,
        schedule.declared,
        schedule.nextRunAt,
      ],
    );
    return rows[0] ? toSchedule(rows[0]) : { ...schedule, paused: false };
  }

  change(
    id: string,
    decide: (before: ScheduleRecord) => Promise<ScheduleChange | undefined>,
  ): Promise<ScheduleRecord | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows: locked } = await tx.query<ScheduleRow>(
        `select ${columns} from activity.schedules where id = $1 for update`,
        [id],
      );
      const before = locked[0] && toSchedule(locked[0]);
      const change = before && (await decide(before));
      if (!change) return before;
      const { enabled, paused, nextRunAt, audit } = change;
      const { rows } = await tx.query<ScheduleRow>(
        `update activity.schedules set enabled = $2, paused = $3, next_run_at = $4, updated_at = now() where id = $1
         returning ${columns}`,
        [id, enabled, paused, nextRunAt],
      );
      if (audit) await this.#audit.record(tx, audit);
      return rows[0] && toSchedule(rows[0]);
    });
  }

  async find(id: string): Promise<ScheduleRecord | undefined> {
    const { rows } = await this.#database.query<ScheduleRow>(`select ${columns} from activity.schedules where id = $1`, [id]);
    return rows[0] && toSchedule(rows[0]);
  }

  async deleteAll(appName: string): Promise<void> {
    await this.#database.query("delete from activity.schedules where app_name = $1", [appName]);
  }

  async countOthers(appName: string, activity: string, key: string): Promise<number> {
    const { rows } = await this.#database.query<{ count: number }>(
      `select count(*)::int as count from activity.schedules
       where app_name = $1 and not declared and not (activity = $2 and key = $3)`,
      [appName, activity, key],
    );
    return rows[0]?.count ?? 0;
  }

  async list(appName: string | undefined): Promise<readonly ScheduleRecord[]> {
    const { rows } = await this.#database.query<ScheduleRow>(
      `select ${columns} from activity.schedules where $1::text is null or app_name = $1
       order by app_name collate "C", activity collate "C", key collate "C"`,
      [appName ?? null],
    );
    return rows.map(toSchedule);
  }

  async due(now: Date): Promise<readonly ScheduleRecord[]> {
    const { rows } = await this.#database.query<ScheduleRow>(
      `select ${columns} from activity.schedules where enabled and not paused and next_run_at <= $1
       order by next_run_at limit 100`,
      [now],
    );
    return rows.map(toSchedule);
  }

  advance(schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean> {
    return advanceSchedule(this.#database, schedule, nextRunAt);
  }
}

function toSchedule(row: ScheduleRow): ScheduleRecord {
  return {
    id: row.id,
    appName: row.app_name,
    activity: row.activity,
    key: row.key,
    cron: row.cron ?? undefined,
    intervalSeconds: row.interval_seconds ?? undefined,
    timezone: row.timezone,
    input: row.input ?? undefined,
    enabled: row.enabled,
    paused: row.paused,
    declared: row.declared,
    nextRunAt: row.next_run_at,
  };
}
