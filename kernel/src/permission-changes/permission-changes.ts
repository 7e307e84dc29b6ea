import type { Database, Transaction } from "../platform-ports/database.ts";

/** Numbered changes of permissions. A decision made under an older number than the latest change is not reused. */
export interface RecentPermissionChanges {
  /**
   * The last assigned number. A change takes effect before it gets its number, so every query to the authorization service from
   * now on includes all changes up to this one.
   */
  readonly horizon: number;
  /** Returns the number of the last change that concerned the subject; 0 if there was none within ten minutes. */
  latestOf(subject: string): number;
}

/** A change of anything but a single user or service account may concern every subject. */
const everybody = "*";

/** Returns the only subject that a tuple's user stands for. Undefined if others may have permissions through it. */
export function changedSubject(user: string): string | undefined {
  return /^(?:user|machine):[^#*]+$/.test(user) ? user : undefined;
}

/** Numbers a change that has taken effect. `users` are the users of the written or deleted tuples. */
export async function notePermissionChanges(tx: Transaction, users: readonly string[]): Promise<void> {
  const subjects = [...new Set(users.map((user) => changedSubject(user) ?? everybody))];
  if (subjects.length === 0) return;
  await tx.query(
    `insert into platform.permission_changes (subject, number, changed_at)
     select subject, nextval('platform.permission_change'), clock_timestamp()
     from (select unnest($1::text[]) as subject order by 1) as subjects
     on conflict (subject) do update
     set number = nextval('platform.permission_change'), changed_at = clock_timestamp()`,
    [subjects],
  );
}

/** Returns the changes of the last ten minutes, twice as long as any decision is kept. */
export async function readPermissionChanges(database: Database): Promise<RecentPermissionChanges> {
  const { rows } = await database.query<{ subject: string | null; number: number }>(
    `select null as subject, (case when is_called then last_value else 0 end)::float8 as number from platform.permission_change
     union all
     select subject, number::float8 from platform.permission_changes where changed_at > now() - interval '10 minutes'`,
  );
  const horizon = rows.find(({ subject }) => subject === null)?.number ?? 0;
  const bySubject = new Map(rows.map(({ subject, number }) => [subject, number]));
  const ofEverybody = bySubject.get(everybody) ?? 0;
  return { horizon, latestOf: (subject) => Math.max(ofEverybody, bySubject.get(subject) ?? 0) };
}
