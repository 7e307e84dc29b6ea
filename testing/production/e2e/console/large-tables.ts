import type { SqlExecutor } from "@appserver/kernel/ports";

/** Rows of each table. */
export const many = 100_000;
/** Most rows are of this app, its hook and its activity. */
export const busy = "com.example.busy";
/** Every 1,000th row is of this one, so that a filter by it must not read all the others. */
export const rare = "com.example.rare";

/** Of the first row. The last is a moment old. */
const startMs = Date.now() - many;
/** UUIDv7s whose order is that of `n`. */
const id = `(lpad(to_hex(${startMs} + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
const at = `to_timestamp((${startMs} + n) / 1000.0)`;
const app = `case when n % 1000 = 7 then '${rare}' else '${busy}' end`;
const series = `generate_series(1, ${many}) as n`;
/** Most rows have the first status. Each of the others has at least as many as three pages of a list, all of them old. */
const oneOf = (first: string, others: readonly string[]): string =>
  `case when n <= ${others.length * 150} then (array[${others.map((each) => `'${each}'`).join(", ")}])[1 + n % ${others.length}] else '${first}' end`;

const statements = [
  `insert into hooks.events (id, hook_name, source_app, data, triggered_at, triggered_by)
   select ${id}, ${app} || '.changed', ${app}, '{"number":' || n || '}', ${at}, 'app:${busy}' from ${series}`,
  // Nothing is due, so nothing is sent.
  `insert into hooks.deliveries (event_id, hook_name, app_name, status, attempt, attempts, updated_at)
   select ${id}, ${app} || '.changed', ${app},
     ${oneOf("DELIVERED", ["PENDING", "SENDING", "RETRYING", "DEAD", "DROPPED"])}, 1,
     '[{"number":1,"at":"2026-01-01T00:00:00.000Z","durationMs":5,"outcome":"SUCCESS"}]', ${at} from ${series}`,
  // Half of those that wait are DELAYED. No worker has those that run, so that they do not end within a day.
  `insert into activity.runs (id, app_id, app_name, app_version, activity, status, attempt, max_retries, timeout_ms, triggered_by, input,
     scheduled_for, queued_at, started_at, finished_at, lease_until, deadline_at)
   select id, id, app_name, '1.0.0', 'count', status, 1, 0, 60000, 'app:' || app_name, '{}',
     case when number % 16 < 8 then now() + interval '1 day' else at end, at, at,
     case when status in ('QUEUED', 'RUNNING') then null else at end, now() + interval '1 day', now() + interval '1 day'
   from (select n as number, ${id} as id, ${app} as app_name, ${at} as at,
     ${oneOf("COMPLETED", ["QUEUED", "RUNNING", "FAILED", "CANCELED", "TIMED_OUT", "CRASHED", "EXPIRED"])} as status
     from ${series}) as made`,
  `insert into platform.event_history (id, type, severity, app_name, message, data, at, actor, sequence)
   select ${id}, ${oneOf("SETTINGS_UPDATED", ["APP_REGISTERED", "APP_INSTALLED", "HOOK_DEAD_LETTERED", "ACTIVITY_FAILED"])}, 'INFO',
     ${app}, 'event ' || n, '{}', ${at}, 'system', n from ${series}`,
  `insert into platform.audit_log (id, at, actor, action, target, outcome, details)
   select ${id}, ${at}, case when n % 1000 = 7 then 'user:rare' else 'user:busy' end,
     case when n % 1000 = 7 then 'access.grant' else 'settings.update' end, 'app:' || ${app},
     ${oneOf("success", ["denied", "failure"])}, '{"version":"1"}' from ${series}`,
  "analyze hooks.events",
  "analyze hooks.deliveries",
  "analyze activity.runs",
  "analyze platform.event_history",
  "analyze platform.audit_log",
];

/** Adds {@link many} events and deliveries of hooks, runs, events of the platform and audit entries. */
export async function fillTables(sql: SqlExecutor): Promise<void> {
  for (const statement of statements) await sql.query(statement);
}
