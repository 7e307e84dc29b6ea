import { type Clock, every, type Logger, messageOf } from "@appserver/kernel";
import pg from "pg";
import { appOfLogin, appsRole } from "./app-database-names.ts";
import { toDatabaseError } from "./postgres-errors.ts";

export interface AppDatabaseGuardOptions {
  /** Opens a connection of the administrator. The guard keeps two: a server that is out of locks accepts no new one. */
  readonly connect: () => Promise<pg.Client>;
  /** Of one login. */
  readonly connectionLimit: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lookEveryMs = 1_000;
/** Databases that this process makes are known at once. */
const readEveryMs = 10_000;
/** The part of the server's locks that apps may hold together. */
const lockShare = 0.5;
/** The part of the notification queue that may be in use. */
const queueShare = 0.05;
/** An app whose sessions were ended this often within the time gets no connections for the time. */
const offences = { maximum: 3, withinMs: 60_000, closedMs: 60_000 };

/** Each takes about a millisecond. */
const closeAttempts = 100;

interface Offence {
  readonly database: string;
  readonly at: number;
}

/**
 * Ends sessions of apps that use up what all databases of the server share: its table of locks, and its notification queue, which
 * one session that does not read keeps from shrinking. An app may lift every limit of its own sessions, and PostgreSQL has none for
 * these. Other apps may fail for some seconds.
 */
export class AppDatabaseGuard {
  readonly #options: AppDatabaseGuardOptions;
  readonly #stopping = new AbortController();
  /** Looks at the server, in a transaction that keeps the locks which a look needs. */
  #eye: pg.Client | undefined;
  #hasLocks = false;
  /** Changes logins. */
  #hand: pg.Client | undefined;
  /** Looks have failed since the last one that succeeded. */
  #isBlind = false;
  #running: Promise<void> | undefined;
  /** The databases of apps by number. Reading them needs locks, so the last known ones are kept. */
  #databases: ReadonlyMap<number, string> = new Map();
  #logins: ReadonlyMap<string, readonly string[]> = new Map();
  /** When both were read, monotonic ms. */
  #readAt = Number.NEGATIVE_INFINITY;
  #maximumLocks = Number.POSITIVE_INFINITY;
  #offences: readonly Offence[] = [];
  readonly #closed = new Map<string, number>();

  constructor(options: AppDatabaseGuardOptions) {
    this.#options = options;
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    await this.#look().catch((error) => this.#lost(error));
    this.#running = every({
      clock,
      signal: this.#stopping.signal,
      intervalMs: lookEveryMs,
      first: "after a pause",
      run: () => this.#look(),
      onError: (error) => this.#lost(error),
    });
  }

  /** Makes a database known before its app can connect. */
  async learn(client: pg.Client): Promise<void> {
    await this.#readDatabases(client);
  }

  /** Returns whether the app gets no connections for a while. */
  keepsOut(database: string): boolean {
    return this.#closed.has(database);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#close();
  }

  #lost(error: unknown): void {
    this.#hasLocks = false;
    if (!this.#isBlind)
      this.#options.logger.warn({ reason: messageOf(error) }, "app databases: the guard cannot look at the server");
    this.#isBlind = true;
    // A failed statement ends the transaction. But while there are no locks, there are no other connections.
    if ((error as { readonly code?: unknown }).code === "53200") this.#eye?.query("rollback").catch(() => {});
    else void this.#close();
  }

  async #close(): Promise<void> {
    const connections = [this.#eye, this.#hand];
    this.#eye = undefined;
    this.#hand = undefined;
    for (const client of connections) await client?.end().catch(() => {});
  }

  async #look(): Promise<void> {
    this.#hand ??= await this.#openHand();
    this.#eye ??= await this.#options.connect();
    const isFresh = this.#options.clock.monotonic() - this.#readAt < readEveryMs;
    // Without a database no app has a login, and nothing can be used up.
    if (this.#hasLocks && this.#databases.size === 0 && isFresh) return;
    // The others wait for the next look, when there are locks again.
    if (await this.#endLocks(this.#eye)) return;
    if (!isFresh) await this.#readDatabases(this.#hand);
    await this.#endListeners(this.#hand);
    await this.#reopen(this.#hand);
    await this.#keepLocks(this.#eye);
    this.#isBlind = false;
  }

  /**
   * Begins a transaction, unless one is open, that has the locks which the next {@link #endLocks} needs: those of tables that all
   * databases share, from which every change of a role makes a session read again. It blocks no other session, and no clean-up.
   */
  async #keepLocks(client: pg.Client): Promise<void> {
    if (this.#hasLocks) return;
    await client.query("begin transaction read only");
    await client.query("select count(*) from pg_roles, pg_auth_members, pg_database where false");
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where false");
    await client.query(locksBySession);
    this.#hasLocks = true;
  }

  async #openHand(): Promise<pg.Client> {
    const client = await this.#options.connect();
    const { rows } = await client.query<{ readonly locks: number }>(
      "select current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int as locks",
    );
    this.#maximumLocks = (rows[0]?.locks ?? Number.POSITIVE_INFINITY) * lockShare;
    await this.#readDatabases(client);
    // An earlier process may have been killed while it kept apps out.
    for (const login of await loginsToOpen(client)) await this.#limit(client, login, this.#options.connectionLimit);
    return client;
  }

  async #readDatabases(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ readonly oid: number; readonly datname: string }>(
      `select pg_database.oid::int8 as oid, datname from pg_database join pg_roles on pg_roles.oid = datdba
       where rolname = datname and starts_with(datname, 'app_')`,
    );
    this.#databases = new Map(rows.map(({ oid, datname }) => [oid, datname]));
    const logins = await client.query<{ readonly rolname: string }>(appLogins);
    this.#logins = Map.groupBy(
      logins.rows.map(({ rolname }) => rolname),
      appOfLogin,
    );
    this.#readAt = this.#options.clock.monotonic();
  }

  /** Ends all sessions of the app with most locks, because those that stay would take what the others leave. Returns whether it did. */
  async #endLocks(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ readonly pid: number; readonly database: number; readonly count: number }>(
      locksBySession,
    );
    const held = rows.filter(({ database }) => this.#databases.has(database));
    const perApp = new Map<number, number>();
    for (const { database, count } of held) perApp.set(database, (perApp.get(database) ?? 0) + count);
    if ([...perApp.values()].reduce((sum, count) => sum + count, 0) <= this.#maximumLocks) return false;
    const [most] = [...perApp].sort(([, one], [, other]) => other - one);
    const pids = held.filter(({ database }) => database === most?.[0]).map(({ pid }) => pid);
    await this.#end(client, pids, this.#databases.get(most?.[0] ?? 0) ?? "", "held most locks");
    return true;
  }

  /** Ends the session of an app that has kept the queue from shrinking for longest. Which sessions listen cannot be seen. */
  async #endListeners(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ readonly usage: number }>("select pg_notification_queue_usage() as usage");
    if ((rows[0]?.usage ?? 0) <= queueShare) return;
    const databases = [...this.#databases.values()];
    const { rows: sessions } = await client.query<{ readonly pid: number; readonly datname: string }>(
      `select pid, datname from pg_stat_activity
       where datname = any($1) and (xact_start is not null or wait_event = 'ClientWrite')
       order by least(xact_start, state_change) limit 1`,
      [databases],
    );
    for (const { pid, datname } of sessions)
      await this.#end(client, [pid], datname, "kept the notification queue from shrinking");
    if (sessions.length === 0) await this.#wakeListeners(client, databases);
  }

  /**
   * A notification makes idle listeners read what they have not. If the queue is too full for it, nothing else wakes them: those of
   * apps end, or all idle sessions of apps if none listened last.
   */
  async #wakeListeners(client: pg.Client, databases: readonly string[]): Promise<void> {
    try {
      await client.query("notify appserver_guard");
    } catch (error) {
      if (toDatabaseError(error).exhausted !== "notifications") throw error;
      const { rowCount } = await client.query(
        `with idle as (
           select pid, query ~* '^\\s*listen ' as listened from pg_stat_activity where datname = any($1) and state = 'idle'
         )
         select pg_terminate_backend(pid) from idle where listened or not exists (select from idle where listened)`,
        [databases],
      );
      this.#options.logger.warn(
        { sessions: rowCount },
        "app databases: ended idle sessions, because the notification queue is full",
      );
    }
  }

  async #end(client: pg.Client, pids: readonly number[], database: string, reason: string): Promise<void> {
    const { clock, logger } = this.#options;
    const at = clock.monotonic();
    this.#offences = [...this.#offences.filter((each) => at - each.at < offences.withinMs), { database, at }];
    const isRepeated = this.#offences.filter((each) => each.database === database).length >= offences.maximum;
    await client.query(`select pg_terminate_backend(pid) from unnest(array[${pids.join()}]) pid`);
    logger.warn({ database, sessions: pids.length, reason }, "app databases: ended sessions that used up what all apps share");
    if (!isRepeated) return;
    for (const login of this.#logins.get(database) ?? []) await this.#closeLogin(login);
    this.#closed.set(database, at);
    logger.warn({ database, seconds: offences.closedMs / 1_000 }, "app databases: the app gets no connections for a while");
  }

  /** Tries at once again and again: the ended sessions have just given their locks back, and the app is taking them again. */
  async #closeLogin(login: string): Promise<void> {
    const hand = this.#hand;
    if (!hand) return;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#limit(hand, login, 0);
        break;
      } catch (error) {
        if (attempt === closeAttempts) throw error;
      }
    }
    await hand.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [login]);
  }

  async #reopen(client: pg.Client): Promise<void> {
    for (const [database, at] of this.#closed) {
      if (this.#options.clock.monotonic() - at < offences.closedMs) continue;
      for (const login of await loginsToOpen(client))
        if (appOfLogin(login) === database) await this.#limit(client, login, this.#options.connectionLimit);
      this.#closed.delete(database);
    }
  }

  async #limit(client: pg.Client, login: string, connections: number): Promise<void> {
    await client.query(`alter role ${pg.escapeIdentifier(login)} connection limit ${connections}`);
  }
}

/** The database of a lock on what all databases share is 0. */
const locksBySession =
  "select pid, max(database::int8)::int8 as database, count(*)::int as count from pg_locks where pid is not null group by pid order by 3 desc";

const appLogins = `select login.rolname from pg_auth_members join pg_roles login on login.oid = member
  join pg_roles apps on apps.oid = roleid where apps.rolname = '${appsRole}' and login.rolcanlogin`;

/** Returns the logins that get no connections, without those of databases over their size limit. */
async function loginsToOpen(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly rolname: string }>(
    `${appLogins} and login.rolconnlimit = 0 and not exists (select from pg_roles owner
       where owner.rolname = regexp_replace(login.rolname, '_g[0-9]+$', '') and owner.rolconnlimit = 0)`,
  );
  return rows.map(({ rolname }) => rolname);
}
