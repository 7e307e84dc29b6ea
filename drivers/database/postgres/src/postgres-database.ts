import { advisoryLocks, backoffMs, type Clock, type Component, type Logger, within } from "@appserver/kernel";
import {
  type ChannelSubscription,
  type Database,
  DatabaseError,
  type ExhaustedResource,
  type Migration,
  type SqlResult,
  type Transaction,
  type TransactionOptions,
} from "@appserver/kernel/ports";
import pg from "pg";
import { beginWith } from "./begin-with.ts";
import { HangWatch } from "./hang-watch.ts";
import { migrate } from "./migrate.ts";
import { NotificationListener } from "./notification-listener.ts";
import { clientConfig, type PostgresConnection } from "./postgres-connection.ts";
import { isConnectionLost, toDatabaseError } from "./postgres-errors.ts";

export interface PoolOptions {
  /** Maximum number of open connections (docs/interface/limits.md#dependencies). */
  readonly poolSize: number;
  /** Maximum number of idle connections. */
  readonly idleConnections: number;
  /** A connection older than this is replaced. */
  readonly connectionLifetimeMs: number;
  /** The server cancels a longer statement. */
  readonly statementTimeoutMs: number;
}

export interface PostgresDatabaseOptions extends PoolOptions {
  readonly connection: PostgresConnection;
  readonly logger: Logger;
  readonly clock: Clock;
}

const stopTimeoutMs = 5_000;
/** Advances the end of the queue, which a server whose queue is full does not do by itself. */
const cleanNotifications = "select pg_notification_queue_usage()";
/**
 * Ends the platform's listeners, also those of other processes, which then listen again from the end of the queue. A server wakes a
 * listener that is behind only after a notification that it could store, so that a full queue would stay full.
 */
const endListeners =
  "select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and state = 'idle' and query ~* '^(un)?listen '";
const endListenersEveryMs = 2_000;

/** What a server could not do, and statements that fail as long as it cannot. */
const exhaustions: Readonly<Record<ExhaustedResource, { readonly message: string; readonly probe: readonly string[] }>> = {
  disk: {
    message: "the disk of the database is full",
    // Half a megabyte in temporary files, which are deleted at the end of the statement.
    probe: [
      "create temporary table appserver_write_probe on commit drop as select g, md5(g::text) from generate_series(1, 8000) g",
    ],
  },
  locks: {
    message: "the database is out of locks",
    // Shared, so that several processes can try at once.
    probe: [`select count(pg_advisory_xact_lock_shared(${advisoryLocks.probe}, g)) from generate_series(1, 500) g`],
  },
  notifications: {
    message: "the notification queue of the database is full",
    probe: [cleanNotifications, "select pg_notify('appserver_probe', '')"],
  },
  connections: { message: "the database accepts no more connections", probe: [] },
};

/** The database port over a pool of connections to a PostgreSQL server (15 or newer). Connects on first use. */
export class PostgresDatabase implements Database, Component {
  readonly name = "postgres-database";
  readonly #pool: pg.Pool;
  readonly #hangWatch: HangWatch;
  readonly #listener: NotificationListener;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #stopped: Promise<void> | undefined;
  readonly #config: pg.ClientConfig;
  /** The server refused work because it is out of something, and no probe has succeeded since. */
  #exhausted: ExhaustedResource | undefined;
  #listenersEndedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresDatabaseOptions) {
    const config = clientConfig(options.connection, options.statementTimeoutMs);
    const logger = options.logger;
    this.#config = config;
    this.#clock = options.clock;
    this.#logger = logger;
    this.#pool = new pg.Pool({
      ...config,
      max: options.poolSize,
      min: options.idleConnections,
      maxLifetimeSeconds: options.connectionLifetimeMs / 1_000,
    });
    // Without a handler, a server that closes an idle connection would end this process.
    this.#pool.on("error", (error) => logger.warn({ err: toDatabaseError(error) }, "database: an idle connection failed"));
    // The same for a connection in use that is lost between two statements, of which the next statement learns. The listener is
    // added here, because the server may end a connection in the packet that confirms it, before a caller of `connect` gets it.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.#hangWatch = new HangWatch({ pool: this.#pool, config, clock: options.clock, logger });
    this.#listener = new NotificationListener(config, options.clock, logger);
  }

  async query<Row extends object>(text: string, parameters?: readonly unknown[]): Promise<SqlResult<Row>> {
    return run<Row>(this.#pool, text, parameters, this.#noteFailure);
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const client = await this.#pool.connect().catch((error) => {
      const failure = toDatabaseError(error);
      this.#noteFailure(failure);
      throw failure;
    });
    const tx = new OpenTransaction(client, options, this.#noteFailure);
    let broken = true;
    try {
      const result = await work(tx);
      if (tx.hasBegun) await commit(client);
      broken = false;
      return result;
    } catch (error) {
      // An error of the commit. Errors of statements are recorded already.
      if (error instanceof DatabaseError) this.#noteFailure(error);
      broken = isConnectionLost(error) || (tx.hasBegun && !(await rollBack(client)));
      throw error;
    } finally {
      tx.close();
      client.release(broken);
    }
  }

  listen(channel: string, onNotification: (payload: string) => void, onReconnect?: () => void): Promise<ChannelSubscription> {
    return this.#listener.listen(channel, onNotification, onReconnect);
  }

  migrate(migrations: readonly Migration[]): Promise<readonly string[]> {
    return migrate(this, migrations);
  }

  /** Runs {@link migrate}, and waits for a server that is not reachable yet. Rejects with the reason of the signal if that aborts. */
  async migrateWhenReachable(migrations: readonly Migration[], signal?: AbortSignal): Promise<readonly string[]> {
    for (;;) {
      await this.whenReachable(signal);
      try {
        return await this.migrate(migrations);
      } catch (error) {
        if (!(error instanceof DatabaseError && error.reason === "unavailable")) throw error;
      }
    }
  }

  /** Rejects after work failed because the server was out of something, until such work succeeds again. Names what it is. */
  async ping(timeoutMs = 2_000): Promise<void> {
    const answer: Promise<unknown> = this.#exhausted ? this.#probe(this.#exhausted) : this.query("select 1");
    await this.#within(timeoutMs, answer, "the database did not respond");
  }

  async #probe(exhausted: ExhaustedResource): Promise<void> {
    const { message, probe } = exhaustions[exhausted];
    try {
      if (exhausted === "connections") await this.#openConnection();
      for (const statement of probe) await this.#pool.query(statement);
    } catch (error) {
      const failure = toDatabaseError(error);
      this.#noteFailure(failure);
      throw failure.exhausted ? new DatabaseError("unavailable", message, { cause: error, exhausted }) : failure;
    }
    this.#exhausted = undefined;
    this.#logger.info({ exhausted }, "database: the server does all its work again");
  }

  /** Those of the pool may be open since the server still accepted them. */
  async #openConnection(): Promise<void> {
    const client = new pg.Client(this.#config);
    client.on("error", () => {});
    try {
      await client.connect();
    } finally {
      await client.end().catch(() => {});
    }
  }

  readonly #noteFailure = (error: DatabaseError): void => {
    const { exhausted } = error;
    if (!exhausted) return;
    if (exhausted === "notifications") this.#freeNotifications().catch(() => {});
    if (this.#exhausted) return;
    this.#exhausted = exhausted;
    this.#logger.error({ err: error }, `database: ${exhaustions[exhausted].message}`);
  };

  async #freeNotifications(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#listenersEndedAt >= endListenersEveryMs) {
      this.#listenersEndedAt = now;
      await this.#pool.query(endListeners);
    }
    await this.#pool.query(cleanNotifications);
  }

  /** Pings with back-off up to 5 s. Resolves at the first success, or when the signal aborts. */
  async whenReachable(signal?: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.ping();
      } catch (error) {
        this.#logger.warn({ err: error }, "database: the server is unreachable; retrying");
      }
      await this.#clock.sleep(backoffMs(failures, { firstMs: 100, maxMs: 5_000 }), signal);
    }
  }

  /** Waits up to 5 s for running statements. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#hangWatch.stop();
    await this.#listener.close();
    await this.#within(stopTimeoutMs, this.#pool.end(), "connections were still busy");
  }

  async #within(ms: number, work: Promise<unknown>, message: string): Promise<void> {
    const error = (): DatabaseError => new DatabaseError("unavailable", `${message} within ${ms} ms`);
    await within(() => work, { clock: this.#clock, ms, error });
  }
}

/** Begins with its first statement. */
class OpenTransaction implements Transaction {
  readonly isTransaction = true;
  readonly #begin: string;
  readonly #onFailure: (error: DatabaseError) => void;
  #client: pg.PoolClient | undefined;
  #hasBegun = false;
  #beginning: Promise<unknown> | undefined;

  constructor(client: pg.PoolClient, options: TransactionOptions, onFailure: (error: DatabaseError) => void) {
    this.#client = client;
    this.#begin = `begin isolation level ${options.isolation ?? "read committed"}`;
    this.#onFailure = onFailure;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  async query<Row extends object>(text: string, parameters?: readonly unknown[]): Promise<SqlResult<Row>> {
    const client = this.#client;
    if (!client) throw new DatabaseError("other", "the transaction has ended");
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      // A text without parameters may be several statements, as in migrations, which the extended protocol refuses.
      if (parameters) return answerOf(() => beginWith<Row>(client, this.#begin, text, [...parameters]), this.#onFailure);
      this.#beginning = run(client, this.#begin, undefined, this.#onFailure);
    }
    await this.#beginning;
    return run<Row>(client, text, parameters, this.#onFailure);
  }

  /** After this another caller of the pool may use the connection. */
  close(): void {
    this.#client = undefined;
  }
}

function run<Row extends object>(
  target: pg.Pool | pg.PoolClient,
  text: string,
  parameters: readonly unknown[] | undefined,
  onFailure: (error: DatabaseError) => void,
): Promise<SqlResult<Row>> {
  return answerOf(() => (parameters ? target.query<Row>(text, [...parameters]) : target.query<Row>(text)), onFailure);
}

async function answerOf<Row extends object>(
  query: () => Promise<pg.QueryResult<Row>>,
  onFailure: (error: DatabaseError) => void,
): Promise<SqlResult<Row>> {
  try {
    const result = await query();
    return { rows: result.rows ?? [], count: result.rowCount ?? 0 };
  } catch (error) {
    const failure = toDatabaseError(error);
    onFailure(failure);
    throw failure;
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query("commit").catch((error) => {
    throw toDatabaseError(error);
  });
  // If the work ignored a failed statement, PostgreSQL responds to COMMIT with ROLLBACK and no error.
  if (command !== "COMMIT") throw new DatabaseError("other", "rolled back, because a statement in the transaction had failed");
}

async function rollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query("rollback").then(
    () => true,
    () => false,
  );
}
