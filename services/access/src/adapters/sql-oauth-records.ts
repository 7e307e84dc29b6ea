import { column, columns, json } from "@appserver/kernel";
import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import type { OAuthRecord } from "../domain/agent-consent.ts";
import type { OAuthRecords } from "../ports.ts";

const records = columns<OAuthRecord>({
  model: column,
  key: column,
  grantId: column,
  uid: column,
  payload: json,
  expiresAt: column,
  consumedAt: column,
});

const stored = ["model", "key", "grantId", "uid", "payload", "expiresAt"] as const;
const names = records.names(stored);
const found = `select ${records.selected} from access.oauth_records where model = $1 and expires_at > now()`;

/** Programs that have registered themselves and that no person has consented to. */
const maxClients = 1_000;
/** Access tokens of one consent. Refresh tokens stay, so that a second use is noticed. */
const maxTokens = 20;

/** Rows of `access.oauth_records`. */
export function sqlOAuthRecords(database: Pick<Database, "query">): OAuthRecords {
  const one = async (sql: string, values: readonly unknown[]): Promise<OAuthRecord | undefined> => {
    const { rows } = await database.query(sql, values);
    return rows[0] && records.record(rows[0]);
  };
  return {
    async put(record) {
      await database.query(
        `insert into access.oauth_records (${names.join(", ")}) values ($1, $2, $3, $4, $5, $6)
         on conflict (model, key) do update set payload = excluded.payload, expires_at = excluded.expires_at,
           grant_id = excluded.grant_id, uid = excluded.uid`,
        records.values(record, stored),
      );
      if (record.model === "Client") await dropOldest(database, clientsWithoutConsent, [maxClients]);
      else if (record.model === "AccessToken") await dropOldest(database, tokensOfConsent, [maxTokens, record.grantId]);
      await database.query(
        "delete from access.oauth_records where (model, key) in (select model, key from access.oauth_records where expires_at < now() limit 100)",
        [],
      );
    },
    find: (model, key) => one(`${found} and key = $2`, [model, key]),
    findByUid: (model, uid) => one(`${found} and uid = $2`, [model, uid]),
    async consume(model, key) {
      const { count } = await database.query(
        `update access.oauth_records set consumed_at = now()
         where model = $1 and key = $2 and consumed_at is null`,
        [model, key],
      );
      return count > 0;
    },
    async usedSince(grantId, since) {
      const { rows } = await database.query<{ count: number }>(
        `select count(*)::int as count from access.oauth_records
         where model = 'RefreshToken' and grant_id = $1 and consumed_at > $2`,
        [grantId, since],
      );
      return rows[0]?.count ?? 0;
    },
    remove: (model, key) =>
      one(
        `delete from access.oauth_records where model = $1 and key = $2 and expires_at > now() returning ${records.selected}`,
        [model, key],
      ),
    async removeOfGrant(grantId) {
      await database.query("delete from access.oauth_records where grant_id = $1", [grantId]);
    },
  };
}

const clientsWithoutConsent = `model = 'Client'
  and not exists (select from access.agent_consents where client_id = oauth_records.key)`;
const tokensOfConsent = "model = 'AccessToken' and grant_id = $2";

/** Deletes what comes after the newest `values[0]` records. */
async function dropOldest(executor: SqlExecutor, condition: string, values: readonly unknown[]): Promise<void> {
  await executor.query(
    `delete from access.oauth_records where (model, key) in (
       select model, key from access.oauth_records where ${condition} order by created_at desc offset $1)`,
    values,
  );
}
