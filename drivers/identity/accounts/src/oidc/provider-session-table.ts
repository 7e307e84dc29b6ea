import type { SqlExecutor } from "@appserver/kernel/ports";

/** A session whose groups are read again from its provider. */
export interface ProviderSession {
  readonly sessionId: string;
  readonly personId: string;
  readonly providerId: string;
  /** The person's id at the provider. */
  readonly subject: string;
}

export interface DueProviderSession extends ProviderSession {
  /** Milliseconds since the provider told the groups last. */
  readonly ageMs: number;
}

/** How long a server that has claimed a session has to read its groups. */
const claimedMs = 120_000;

/** The rows of sessions that began at providers. They end with their session. */
export const providerSessionTable = {
  async insert(
    tx: SqlExecutor,
    { sessionId, providerId, subject }: Omit<ProviderSession, "personId">,
    dueInMs: number,
  ): Promise<void> {
    await tx.query(
      `insert into accounts.provider_sessions (session_id, provider_id, subject, due_at)
       values ($1, $2, $3, now() + $4 * interval '1 millisecond')`,
      [sessionId, providerId, subject, dueInMs],
    );
  },

  /** Claims sessions of these providers that are due and still valid. Other servers do not get them for two minutes. */
  async claim(
    database: SqlExecutor,
    { providers, limit, idleMs }: { readonly providers: readonly string[]; readonly limit: number; readonly idleMs: number },
  ): Promise<readonly DueProviderSession[]> {
    const { rows } = await database.query<DueProviderSession>(
      `with due as (
         select p.session_id, s.person_id from accounts.provider_sessions p join accounts.sessions s on s.id = p.session_id
         where p.due_at <= now() and p.provider_id = any($4) and s.ends_at > now() and s.used_at > now() - $2 * interval '1 millisecond'
         order by p.due_at limit $1 for update of p skip locked
       )
       update accounts.provider_sessions p set due_at = now() + $3 * interval '1 millisecond'
       from due where p.session_id = due.session_id
       returning p.session_id as "sessionId", due.person_id as "personId", p.provider_id as "providerId", p.subject,
         (extract(epoch from now() - p.read_at) * 1000)::float8 as "ageMs"`,
      [limit, idleMs, claimedMs, providers],
    );
    return rows;
  },

  /** Ends sessions whose groups no server reads again, because their provider is not configured any more. */
  async endAbandoned(database: SqlExecutor): Promise<void> {
    await database.query(
      `delete from accounts.sessions where id in (
         select session_id from accounts.provider_sessions where due_at < now() - interval '1 hour'
       )`,
    );
  },

  async read(tx: SqlExecutor, sessionId: string, dueInMs: number): Promise<void> {
    await tx.query(
      `update accounts.provider_sessions set read_at = now(), due_at = now() + $2 * interval '1 millisecond' where session_id = $1`,
      [sessionId, dueInMs],
    );
  },

  async retry(tx: SqlExecutor, sessionId: string, dueInMs: number): Promise<void> {
    await tx.query(
      `update accounts.provider_sessions set due_at = now() + $2 * interval '1 millisecond' where session_id = $1`,
      [sessionId, dueInMs],
    );
  },
};
