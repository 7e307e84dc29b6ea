import { AppError, advisoryLocks } from "@appserver/kernel";
import type { TrustedPipeline, TrustedPipelines } from "../ports.ts";

const columns = `p.id, p.account_id as "accountId", a.name as "accountName", p.provider, p.issuer, p.audience, p.repository,
  p.repository_id as "repositoryId", p.ref, p.environment, p.claims, p.apps, p.created_by as "createdBy", p.created_at as "createdAt",
  p.used_at as "usedAt"`;
const joined = "access.trusted_pipelines p join access.service_accounts a on a.id = p.account_id";
/** Rows that are over and that one exchange removes. An exchange adds one row of each kind. */
const removedAtOnce = 100;

/** Rows of `access.trusted_pipelines`, of `access.exchanged_tokens`, and the tokens of service accounts that pipelines get. */
export const sqlTrustedPipelines: TrustedPipelines = {
  async add(tx, pipeline, max) {
    await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.trustedPipelines]);
    const { rows } = await tx.query<{ total: number; same: string | null }>(
      `select count(*)::int as total, (min(id::text) filter (where condition_key = $1)) as same from access.trusted_pipelines`,
      [pipeline.conditionKey],
    );
    const { total = 0, same } = rows[0] ?? {};
    if (same != null)
      throw new AppError("CONFLICT", `the trust ${same} has the same conditions; remove it first`, {
        details: { trust: same },
      });
    if (total >= max)
      throw new AppError("INVALID_STATE", `there are ${max} trusted pipelines already; remove one that is not in use`);
    const { id, accountId, provider, issuer, audience, repository, repositoryId, ref, environment } = pipeline;
    await tx.query(
      `insert into access.trusted_pipelines (id, account_id, provider, issuer, audience, repository, repository_id, ref, environment,
         claims, apps, condition_key, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12, $13)`,
      [
        ...[id, accountId, provider, issuer, audience, repository, repositoryId, ref, environment],
        ...[JSON.stringify(pipeline.claims), pipeline.apps, pipeline.conditionKey, pipeline.createdBy],
      ],
    );
  },

  async list(executor, issuer) {
    const { rows } = await executor.query<TrustedPipeline>(
      `select ${columns} from ${joined} where $1::text is null or p.issuer = $1 order by p.id`,
      [issuer ?? null],
    );
    return rows;
  },

  async remove(tx, id) {
    const { rows } = await tx.query<TrustedPipeline>(`select ${columns} from ${joined} where p.id::text = $1 for update of p`, [
      id,
    ]);
    await tx.query("delete from access.trusted_pipelines where id::text = $1", [id]);
    return rows[0];
  },

  async hold(tx, id) {
    const { count } = await tx.query("update access.trusted_pipelines set used_at = now() where id = $1", [id]);
    return count === 1;
  },

  async noteExchange(tx, tokenKey, until) {
    await tx.query(
      `delete from access.exchanged_tokens where token_key in (
         select token_key from access.exchanged_tokens where expires_at < now() order by expires_at limit $1 for update skip locked)`,
      [removedAtOnce],
    );
    const { count } = await tx.query(
      "insert into access.exchanged_tokens (token_key, expires_at) values ($1, $2) on conflict do nothing",
      [tokenKey, until],
    );
    return count === 1;
  },

  async addToken(tx, { id, accountId, tokenKey, createdBy, expiresAt, trustId, run }, max) {
    await tx.query(
      `delete from access.service_account_tokens where id in (
         select id from access.service_account_tokens where trust_id is not null and expires_at <= now() limit $1 for update skip locked)`,
      [removedAtOnce],
    );
    const { count } = await tx.query(
      `insert into access.service_account_tokens (id, token_key, account_id, created_by, expires_at, trust_id, run)
       select $1, $2, $3, $4, $5, $6, $7::jsonb
       where (select count(*) from access.service_account_tokens where trust_id = $6 and expires_at > now()) < $8`,
      [id, tokenKey, accountId, createdBy, expiresAt, trustId, JSON.stringify(run), max],
    );
    return count === 1;
  },
};
