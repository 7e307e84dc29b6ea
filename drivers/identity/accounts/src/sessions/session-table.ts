import { uuidv7 } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { keyOfToken, newToken } from "../token.ts";

/** How people proved who they are. */
export type SignInMethod = "password" | "invitation" | "recovery" | "totp" | "recovery_code" | "passkey" | `oidc:${string}`;

export interface StoredSession {
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  readonly email: string | null;
  readonly endsAt: Date;
  readonly usedAt: Date;
  readonly provenAt: Date;
}

/** A session in the list that its owner sees. */
export interface ListedSession {
  readonly id: string;
  readonly device: string;
  readonly network: string;
  readonly createdAt: Date;
  readonly usedAt: Date;
}

export interface NewSession {
  /** Default: a new one. */
  readonly id?: string;
  readonly personId: string;
  readonly methods: readonly SignInMethod[];
  readonly device: string;
  readonly network: string;
  /** The token of the session that the browser had. It ends. */
  readonly replaced?: string | undefined;
  /** The session ends earlier than others. */
  readonly maxMs?: number | undefined;
}

export interface SessionTimes {
  /** How long a session lasts. */
  readonly lifetimeMs: number;
  /** A session that is not used for this time has ended. */
  readonly idleMs: number;
}

/** Triggers notify on it of sessions to read again: `<person>:<session>`, or `<person>` for all of a person. */
export const endedChannel = "accounts_sessions_ended";

/** The rows of sessions. An ended one is deleted, and all processes are notified. */
export class SessionTable {
  readonly #times: SessionTimes;

  constructor(times: SessionTimes) {
    this.#times = times;
  }

  get lifetimeMs(): number {
    return this.#times.lifetimeMs;
  }

  get idleMs(): number {
    return this.#times.idleMs;
  }

  /** Begins a session. Returns its token, which is stored nowhere. */
  async begin(tx: SqlExecutor, session: NewSession): Promise<string> {
    if (session.replaced !== undefined) await this.endByTokens(tx, [session.replaced]);
    const token = newToken();
    const { id = uuidv7(), personId, methods, device, network, maxMs = this.#times.lifetimeMs } = session;
    await tx.query(
      `insert into accounts.sessions (id, token_key, person_id, methods, device, network, ends_at)
       values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')`,
      [id, keyOfToken(token), personId, methods, device, network, Math.min(maxMs, this.#times.lifetimeMs)],
    );
    await tx.query(
      `insert into accounts.networks (person_id, network) values ($1, $2)
       on conflict (person_id, network) do update set seen_at = now()`,
      [personId, network],
    );
    return token;
  }

  async find(database: SqlExecutor, tokenKey: string): Promise<StoredSession | undefined> {
    const { rows } = await database.query<StoredSession>(
      `select s.id, s.person_id as "personId", p.name, p.email, s.ends_at as "endsAt", s.used_at as "usedAt", s.proven_at as "provenAt"
       from accounts.sessions s join accounts.people p on p.id = s.person_id
       where s.token_key = $1 and p.state = 'active' and s.ends_at > now() and s.used_at > now() - $2 * interval '1 millisecond'`,
      [tokenKey, this.#times.idleMs],
    );
    return rows[0];
  }

  async list(database: SqlExecutor, personId: string): Promise<readonly ListedSession[]> {
    const { rows } = await database.query<ListedSession>(
      `select id, device, network, created_at as "createdAt", used_at as "usedAt" from accounts.sessions
       where person_id = $1 and ends_at > now() and used_at > now() - $2 * interval '1 millisecond'
       order by used_at desc limit 100`,
      [personId, this.#times.idleMs],
    );
    return rows;
  }

  /** Keeps the session until the transaction ends. Returns whether it exists. */
  async hold(tx: SqlExecutor, sessionId: string): Promise<boolean> {
    const { rows } = await tx.query("select 1 from accounts.sessions where id = $1 for update", [sessionId]);
    return rows.length === 1;
  }

  async endByTokens(tx: SqlExecutor, tokens: readonly string[]): Promise<void> {
    await this.#end(tx, "token_key = any($1)", [tokens.map(keyOfToken)]);
  }

  /** Ends one session of a person. */
  async end(tx: SqlExecutor, personId: string, sessionId: string): Promise<void> {
    await this.#end(tx, "person_id = $1 and id::text = $2", [personId, sessionId]);
  }

  async endOthers(tx: SqlExecutor, personId: string, keptId: string): Promise<void> {
    await this.#end(tx, "person_id = $1 and id <> $2", [personId, keptId]);
  }

  async endAll(tx: SqlExecutor, personId: string): Promise<void> {
    await this.#end(tx, "person_id = $1", [personId]);
  }

  /** Notes when sessions were used, unless that was noted less than a minute ago. */
  async noteUse(database: SqlExecutor, uses: ReadonlyMap<string, number>): Promise<void> {
    const [ids, times] = [[...uses.keys()], [...uses.values()].map((at) => new Date(at))];
    await database.query(
      `with due as (
         select s.id, u.at from accounts.sessions s join unnest($1::uuid[], $2::timestamptz[]) u (id, at) on s.id = u.id
         where s.used_at < u.at - interval '50 seconds' for update of s skip locked
       )
       update accounts.sessions s set used_at = due.at from due where s.id = due.id`,
      [ids, times],
    );
  }

  /** Returns how many were deleted. */
  async deleteEnded(database: SqlExecutor): Promise<number> {
    const deleted = await database.query(
      `delete from accounts.sessions where id in (
         select id from accounts.sessions
         where ends_at < now() or used_at < now() - $1 * interval '1 millisecond' limit 10000
       )`,
      [this.#times.idleMs],
    );
    return deleted.count;
  }

  async #end(tx: SqlExecutor, condition: string, parameters: readonly unknown[]): Promise<void> {
    await tx.query(`delete from accounts.sessions where ${condition}`, parameters);
  }
}
