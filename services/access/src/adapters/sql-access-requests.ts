import { advisoryLocks, column, columns, deleteInSteps } from "@appserver/kernel";
import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import type { AccessRequest, AccessRequests } from "../ports.ts";

const requests = columns<AccessRequest>({
  id: column,
  userId: column,
  appName: column,
  access: column,
  reason: column,
  requestedAt: column,
  state: column,
  decidedAt: column,
});

const keptMs = 90 * 86_400_000;

async function oneOf(executor: SqlExecutor, id: string, suffix = ""): Promise<AccessRequest | undefined> {
  const { rows } = await executor.query(`select ${requests.selected} from access.requests where id::text = $1 ${suffix}`, [id]);
  return rows[0] && requests.record(rows[0]);
}

/** Rows of `access.requests`. */
export const sqlAccessRequests: AccessRequests = {
  async lock(tx, userId) {
    await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [advisoryLocks.accessRequestsOfPerson, userId]);
  },

  find(executor, id) {
    return oneOf(executor, id);
  },

  hold(tx, id) {
    return oneOf(tx, id, "for update");
  },

  async ofPerson(executor, userId) {
    const { rows } = await executor.query(
      `select ${requests.selected} from access.requests where user_id = $1 order by id desc`,
      [userId],
    );
    return rows.map(requests.record);
  },

  async replace(tx, { id, userId, appName, access, reason, requestedAt }) {
    await tx.query(
      `insert into access.requests (id, user_id, app_name, access, reason, requested_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (user_id, app_name, access) do update set id = excluded.id, reason = excluded.reason,
         requested_at = excluded.requested_at, state = 'OPEN', decided_at = null`,
      [id, userId, appName, access, reason ?? null, requestedAt],
    );
  },

  async decide(tx, { id, state, at }) {
    await tx.query("update access.requests set state = $2, decided_at = $3 where id = $1", [id, state, at]);
  },

  async open(executor, { limit, below }) {
    const { rows } = await executor.query(
      `select ${requests.selected} from access.requests where state = 'OPEN' and ($1::uuid is null or id < $1::uuid)
       order by id desc limit $2`,
      [below ?? null, limit],
    );
    const counted = await executor.query<{ count: number }>(
      "select count(*)::int as count from access.requests where state = 'OPEN'",
    );
    return { requests: rows.map(requests.record), totalCount: counted.rows[0]?.count ?? 0 };
  },

  async forgetPerson(tx, userId) {
    await tx.query("delete from access.requests where user_id = $1", [userId]);
  },

  async forgetApp(executor, appName) {
    await executor.query("delete from access.requests where app_name = $1", [appName]);
  },
};

/** Deletes requests that were made 90 days ago. Returns how many. */
export function pruneAccessRequests(database: Database, signal?: AbortSignal): Promise<number> {
  const condition = "old.requested_at < now() - $1::interval";
  return deleteInSteps(database, { table: "access.requests", key: "id", condition, olderThanMs: keptMs }, signal);
}
