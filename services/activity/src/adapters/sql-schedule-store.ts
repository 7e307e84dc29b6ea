import { Conditions, column, columns, recordKeyedWork } from "@appserver/kernel";
import type { AuditLog, AuditRecord, Database, Transaction } from "@appserver/kernel/ports";
import type {
  DeclaredSchedules,
  NewSchedule,
  ScheduleChange,
  ScheduleMoment,
  ScheduleRecord,
  ScheduleStore,
} from "../ports.ts";
import { advanceSchedule } from "./advance-schedule.ts";
import { saveDeclaredSchedules } from "./save-declared-schedules.ts";

const schedules = columns<ScheduleRecord>({
  id: column,
  appName: column,
  activity: column,
  key: column,
  cron: column,
  intervalSeconds: column,
  timezone: column,
  // As text: a parsed value would not have every number and escape as it was given.
  input: { expression: "input::text" },
  enabled: column,
  paused: column,
  declared: column,
  nextRunAt: column,
  failures: column,
  lastError: column,
});

const notFailed = { failures: 0, lastError: undefined } as const;
const sorted = 'app_name collate "C", activity collate "C", key collate "C"';

/** What a call with the key of an existing schedule replaces. */
const replaced = ["cron", "intervalSeconds", "timezone", "input", "enabled", "declared", "nextRunAt"] as const;
const saved = ["id", "appName", "activity", "key", ...replaced] as const;

/** Stores schedules in PostgreSQL. */
export class SqlScheduleStore implements ScheduleStore {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(database: Database, audit: AuditLog) {
    this.#database = database;
    this.#audit = audit;
  }

  async declare(tx: Transaction, { appName, schedules: given }: DeclaredSchedules): Promise<void> {
    const { rows } = await tx.query<{ name: string }>("select name from activity.definitions where app_name = $1", [appName]);
    const registered = new Set(rows.map(({ name }) => name));
    const own = given.filter(({ activity }) => !registered.has(activity));
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

  async #save(tx: Transaction, schedule: NewSchedule): Promise<ScheduleRecord> {
    const names = schedules.names(saved);
    const { rows } = await tx.query(
      `insert into activity.schedules (${names}, updated_at)
       values (${saved.map((_, index) => `$${index + 1}`)}, now())
       on conflict (app_name, activity, key) do update set
         ${schedules.names(replaced).map((name) => `${name} = excluded.${name}`)},
         failures = 0, last_error = null, updated_at = now()
       returning ${schedules.selected}`,
      schedules.values({ ...schedule, paused: false, ...notFailed }, saved),
    );
    return rows[0] ? schedules.record(rows[0]) : { ...schedule, paused: false, ...notFailed };
  }

  change(
    id: string,
    decide: (before: ScheduleRecord) => Promise<ScheduleChange | undefined>,
  ): Promise<ScheduleRecord | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows: locked } = await tx.query(`select ${schedules.selected} from activity.schedules where id = $1 for update`, [
        id,
      ]);
      const before = locked[0] && schedules.record(locked[0]);
      const change = before && (await decide(before));
      if (!change) return before;
      await recordKeyedWork(tx, { scheduleId: id });
      const { enabled, paused, nextRunAt, audit } = change;
      const { rows } = await tx.query(
        `update activity.schedules set enabled = $2, paused = $3, next_run_at = $4, updated_at = now(),
           failures = case when next_run_at = $4 then failures else 0 end,
           last_error = case when next_run_at = $4 then last_error end
         where id = $1
         returning ${schedules.selected}`,
        [id, enabled, paused, nextRunAt],
      );
      if (audit) await this.#audit.record(tx, audit);
      return rows[0] && schedules.record(rows[0]);
    });
  }

  async find(id: string): Promise<ScheduleRecord | undefined> {
    const { rows } = await this.#database.query(`select ${schedules.selected} from activity.schedules where id = $1`, [id]);
    return rows[0] && schedules.record(rows[0]);
  }

  delete(id: string, auditOf: (deleted: ScheduleRecord) => AuditRecord | undefined): Promise<ScheduleRecord | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query(`delete from activity.schedules where id = $1 returning ${schedules.selected}`, [id]);
      const deleted = rows[0] && schedules.record(rows[0]);
      const entry = deleted && auditOf(deleted);
      if (entry) await this.#audit.record(tx, entry);
      return deleted;
    });
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

  async list(appName: string | undefined, page?: Parameters<ScheduleStore["list"]>[1]): Promise<readonly ScheduleRecord[]> {
    const where = new Conditions();
    if (appName !== undefined) where.add("app_name = ?", appName);
    const after = page?.after;
    if (after) {
      const values = [after.appName, after.activity, after.key].map((value) => where.parameter(value));
      where.addFixed(`(${sorted}) > (${values.join(", ")})`);
    }
    const { rows } = await this.#database.query(
      `select ${schedules.selected} from activity.schedules where ${where.text} order by ${sorted} limit ${page?.limit ?? "all"}`,
      where.values,
    );
    return rows.map(schedules.record);
  }

  async due(now: Date): Promise<readonly ScheduleRecord[]> {
    const { rows } = await this.#database.query(
      `select ${schedules.selected} from activity.schedules where enabled and not paused and next_run_at <= $1
       order by next_run_at limit 100`,
      [now],
    );
    return rows.map(schedules.record);
  }

  advance(schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean> {
    return advanceSchedule(this.#database, schedule, nextRunAt);
  }

  async postpone({ id, nextRunAt }: ScheduleMoment, retryAt: Date, error: string): Promise<void> {
    await this.#database.query(
      `update activity.schedules set next_run_at = $3, failures = failures + 1, last_error = $4
       where id = $1 and next_run_at = $2 and enabled and not paused`,
      [id, nextRunAt, retryAt, error],
    );
  }
}
