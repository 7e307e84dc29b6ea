import type { Transaction } from "@appserver/kernel/ports";
import type { DeclaredSchedules } from "../ports.ts";

/** Apps cannot use a key of this form. */
const declaredKey = "@declared";

/** Adds declared schedules, or replaces those of the same activities. An unchanged one keeps its next time. */
export async function saveDeclaredSchedules(
  tx: Transaction,
  appName: string,
  schedules: DeclaredSchedules["schedules"],
): Promise<void> {
  await tx.query(
    `insert into activity.schedules as s (id, app_name, activity, key, cron, interval_seconds, timezone, input, enabled,
       declared, next_run_at, updated_at)
     select id, $1, activity, $2, cron, interval_seconds, timezone, input::json, true, true, next_run_at, now()
     from unnest($3::uuid[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::timestamptz[])
       as given (id, activity, cron, interval_seconds, timezone, input, next_run_at)
     on conflict (app_name, activity, key) do update set cron = excluded.cron, interval_seconds = excluded.interval_seconds,
       timezone = excluded.timezone, input = excluded.input, enabled = true, next_run_at = excluded.next_run_at,
       failures = 0, last_error = null, updated_at = now()
     where (s.cron, s.interval_seconds, s.timezone, s.input::text)
       is distinct from (excluded.cron, excluded.interval_seconds, excluded.timezone, excluded.input::text)`,
    [
      appName,
      declaredKey,
      schedules.map(({ id }) => id),
      schedules.map(({ activity }) => activity),
      schedules.map(({ cron }) => cron ?? null),
      schedules.map(({ intervalSeconds }) => intervalSeconds ?? null),
      schedules.map(({ timezone }) => timezone),
      schedules.map(({ input }) => input ?? null),
      schedules.map(({ nextRunAt }) => nextRunAt),
    ],
  );
}
