import { AppError, advisoryLocks } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { MachineTokenTable, ServiceAccount, ServiceAccounts, StoredMachineToken } from "../ports.ts";

const tokenColumns = `id, account_id as "accountId", scopes, created_by as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", used_at as "usedAt"`;

type AccountRow = Omit<ServiceAccount, "tokens">;
type TokenRow = ServiceAccount["tokens"][number] & { readonly accountId: string };

/** Rows of `access.service_accounts` and `access.service_account_tokens`. */
export const sqlServiceAccounts: ServiceAccounts & MachineTokenTable = {
  async add(tx, { id, name, createdBy }, max) {
    await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.serviceAccounts]);
    const { rows } = await tx.query<{ total: number; taken: boolean }>(
      "select count(*)::int as total, coalesce(bool_or(name = $1), false) as taken from access.service_accounts",
      [name],
    );
    if (rows[0]?.taken) throw new AppError("CONFLICT", `there is a service account ${name} already`);
    if ((rows[0]?.total ?? 0) >= max)
      throw new AppError("INVALID_STATE", `there are ${max} service accounts already; delete one that is not in use`);
    await tx.query("insert into access.service_accounts (id, name, created_by) values ($1, $2, $3)", [id, name, createdBy]);
  },

  async hold(tx, id) {
    await tx.query("select 1 from access.service_accounts where id::text = $1 for update", [id]);
    return (await accountsOf(tx, id))[0];
  },

  async addToken(tx, { id, accountId, tokenKey, scopes, createdBy, expiresAt }, max) {
    await tx.query(
      `delete from access.service_account_tokens where id in (
         select id from access.service_account_tokens where account_id = $1 and trust_id is null
         order by expires_at > now() desc, expires_at desc offset $2
       ) and expires_at <= now()`,
      [accountId, max - 1],
    );
    const { rows } = await tx.query<{ total: number }>(
      "select count(*)::int as total from access.service_account_tokens where account_id = $1 and trust_id is null",
      [accountId],
    );
    if ((rows[0]?.total ?? 0) >= max)
      throw new AppError("INVALID_STATE", `the service account has ${max} tokens already; revoke one that is not in use`);
    await tx.query(
      `insert into access.service_account_tokens (id, token_key, account_id, scopes, created_by, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, tokenKey, accountId, scopes, createdBy, expiresAt],
    );
  },

  async endToken(tx, accountId, tokenId) {
    const ended = await tx.query("delete from access.service_account_tokens where account_id::text = $1 and id::text = $2", [
      accountId,
      tokenId,
    ]);
    return ended.count === 1;
  },

  async delete(tx, id) {
    await tx.query("delete from access.service_accounts where id = $1", [id]);
  },

  list: accountsOf,

  async names(executor, ids) {
    const { rows } = await executor.query<{ id: string; name: string }>(
      "select id::text as id, name from access.service_accounts where id::text = any($1)",
      [ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  },

  async find(executor, tokenKey) {
    const { rows } = await executor.query<StoredMachineToken>(
      `select t.id, t.account_id as "accountId", a.name as "accountName", t.scopes, t.expires_at as "expiresAt",
         t.used_at as "usedAt", t.trust_id as "trustId", p.apps, t.run
       from access.service_account_tokens t join access.service_accounts a on a.id = t.account_id
       left join access.trusted_pipelines p on p.id = t.trust_id
       where t.token_key = $1 and t.expires_at > now()`,
      [tokenKey],
    );
    return rows[0];
  },

  async noteUse(executor, uses) {
    const [ids, times] = [[...uses.keys()], [...uses.values()].map((at) => new Date(at))];
    await executor.query(
      `with due as (
         select t.id, u.at from access.service_account_tokens t
         join unnest($1::uuid[], $2::timestamptz[]) u (id, at) on t.id = u.id
         where t.used_at is null or t.used_at < u.at - interval '50 seconds' for update of t skip locked
       )
       update access.service_account_tokens t set used_at = due.at from due where t.id = due.id`,
      [ids, times],
    );
  },
};

async function accountsOf(executor: SqlExecutor, id?: string): Promise<readonly ServiceAccount[]> {
  const accounts = await executor.query<AccountRow>(
    `select id, name, created_by as "createdBy", created_at as "createdAt" from access.service_accounts
     where $1::text is null or id::text = $1 order by name`,
    [id ?? null],
  );
  const tokens = await executor.query<TokenRow>(
    `select ${tokenColumns} from access.service_account_tokens
     where trust_id is null and ($1::text is null or account_id::text = $1) order by id desc`,
    [id ?? null],
  );
  const byAccount = Map.groupBy(tokens.rows, ({ accountId }) => accountId);
  return accounts.rows.map((account) => ({ ...account, tokens: byAccount.get(account.id) ?? [] }));
}
