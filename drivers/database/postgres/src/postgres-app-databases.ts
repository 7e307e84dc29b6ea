import { randomBytes } from "node:crypto";
import {
  advisoryLocks,
  type Clock,
  type Component,
  databasePasswordPrefix,
  type Logger,
  singleFlight,
} from "@appserver/kernel";
import {
  type AppDatabases,
  type DatabaseCopy,
  DatabaseError,
  type DatabaseLogin,
  type DatabaseOwner,
  type DatabaseSize,
} from "@appserver/kernel/ports";
import type pg from "pg";
import { administrationTimeoutMs, connected, openClient } from "./administrator-client.ts";
import { copyDatabase, copyNameOf, openDatabase, removeDatabaseCopy, restoreDatabaseCopy } from "./app-database-copies.ts";
import { AppDatabaseGuard } from "./app-database-guard.ts";
import { appNumberOf, appsRole, databaseNameOf, loginNameOf } from "./app-database-names.ts";
import {
  closeDatabases,
  countAppDatabases,
  endLogins,
  isSameServer,
  mayLimitFiles,
  requireRights,
  sharedServerRefusal,
} from "./app-database-server.ts";
import { applySizeLimit, connectionsOf, isSettled, type MeasuredDatabase, measureDatabases } from "./app-database-sizes.ts";
import { endLogin, exists, inTransaction, loginsOf, name } from "./app-logins.ts";
import { AppQueues } from "./app-queues.ts";
import { withoutBlockers } from "./lock-watch.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { isContention, toDatabaseError } from "./postgres-errors.ts";
import { scramVerifier } from "./scram-verifier.ts";

export interface PostgresAppDatabasesOptions {
  /** The server of the apps' databases, with a role that has CREATEDB and CREATEROLE. */
  readonly administrator: PostgresConnection;
  /** Of the role that owns the platform's database. */
  readonly platform: PostgresConnection;
  /** Whether both may be the same server. An app can stop the writes of a whole server. */
  readonly sharedServer: boolean;
  /** Where apps reach the server. */
  readonly address: { readonly host: string; readonly port: number };
  /** Maximum number of connections of one login. */
  readonly connectionLimit: number;
  /** Size of one database above which its app gets no connections. */
  readonly sizeLimitBytes: number;
  /** The server cancels a longer statement of an app, unless the app sets another timeout. */
  readonly statementTimeoutMs: number;
  /** The server ends a longer idle transaction of an app, unless the app sets another timeout. */
  readonly idleTransactionTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const statementTimeoutMs = 10_000;
/** The sessions that keep a statement waiting are ended earlier. */
const lockTimeoutMs = 5_000;
const attempts = 3;
/** Each uses up to three connections. */
const administrationsAtOnce = 4;
/** Of one session, for sorting and hashing. */
const temporaryFiles = "1GB";

/**
 * Databases of apps on a PostgreSQL server (15 or newer). An app has a database and an owner role with the same name. The logins
 * of its generations are members of that role and act as it, so that every generation can change what another one created.
 */
export class PostgresAppDatabases implements AppDatabases, Component {
  readonly name = "app-databases";
  readonly #options: PostgresAppDatabasesOptions;
  readonly #guard: AppDatabaseGuard;
  readonly #queues = new AppQueues(administrationsAtOnce);
  readonly #prepare = singleFlight(() => this.#prepareOnce());
  #isPrepared = false;
  #unusedDatabases = 0;

  constructor(options: PostgresAppDatabasesOptions) {
    this.#options = options;
    const { administrator, connectionLimit, clock, logger } = options;
    this.#guard = new AppDatabaseGuard({ connect: () => openClient(administrator), connectionLimit, clock, logger });
  }

  /** How many databases of apps the platform's own server still has, although apps are on another one. 0 before the start. */
  get unusedDatabases(): number {
    return this.#unusedDatabases;
  }

  get address(): AppDatabases["address"] {
    return this.#options.address;
  }

  /**
   * Prepares the server of the apps' databases and closes all other databases there to the logins of apps. Rejects with StartError
   * if it may not be used, or if the administrator lacks a right. A server that cannot be reached does not prevent the start: an
   * app may be the reason. The next call of another method prepares it then.
   */
  async start(): Promise<void> {
    try {
      await this.#prepare();
    } catch (error) {
      if (!(error instanceof DatabaseError && (error.reason === "unavailable" || error.reason === "timeout"))) throw error;
      this.#options.logger.warn(
        { err: error },
        "app databases: the server is unreachable; apps that need a database wait for it",
      );
    }
    await this.#guard.start();
  }

  async #prepareOnce(): Promise<void> {
    if (this.#isPrepared) return;
    const { administrator, platform, sharedServer, logger } = this.#options;
    await connected(administrator, (apps) =>
      connected(platform, async (own) => {
        const isShared = await isSameServer(own, apps);
        if (isShared && !sharedServer) throw sharedServerRefusal();
        await requireRights(apps);
        const owner = isShared ? own : apps;
        // Another orchestrator may prepare the same server.
        await owner.query("select pg_advisory_lock($1)", [advisoryLocks.appDatabases]);
        if (!(await exists(apps, "pg_roles", appsRole))) await apps.query(`create role ${name(appsRole)} nologin`);
        await closeDatabases(owner, administrator.user);
        if (isShared) return;
        await endLogins(own);
        this.#unusedDatabases = await countAppDatabases(own);
        if (this.#unusedDatabases > 0)
          logger.warn(
            { databases: this.#unusedDatabases },
            "app databases: the platform's own server has databases of apps that are no longer used: move them, or set containers.database_shared_server=true",
          );
      }),
    );
    this.#isPrepared = true;
  }

  /** Rejects if the server does not accept a connection of the administrator. */
  async ping(): Promise<void> {
    await connected(this.#options.administrator, (client) => client.query("select 1"));
  }

  async stop(): Promise<void> {
    await this.#guard.stop();
  }

  async open(owner: DatabaseOwner, generation: number): Promise<DatabaseLogin> {
    const database = databaseNameOf(owner);
    const user = loginNameOf(owner, generation);
    // URL-safe, because apps put it into connection URLs.
    const password = databasePasswordPrefix + randomBytes(24).toString("base64url");
    const verifier = await scramVerifier(password);
    await this.#administer(database, async (client) => {
      await inTransaction(client, () => this.#createRoles(client, database, user, verifier));
      // template1 may be in use by another session; template0 cannot be.
      if (!(await exists(client, "pg_database", database)))
        await slowly(client, `create database ${name(database)} owner ${name(database)} template template0`);
      await openDatabase(client, database);
      await client.query(`revoke connect, temporary on database ${name(database)} from public`);
      await this.#guard.learn(client);
    });
    const { host, port } = this.#options.address;
    return { host, port, database, user, password };
  }

  async close(owner: DatabaseOwner, generation: number): Promise<void> {
    const database = databaseNameOf(owner);
    await this.#administer(database, (client) => this.#dropLogin(client, database, loginNameOf(owner, generation)));
  }

  async remove(owner: DatabaseOwner): Promise<void> {
    const database = databaseNameOf(owner);
    await this.#administer(database, async (client) => {
      const logins = await loginsOf(client, database);
      for (const login of logins) await endLogin(client, login);
      await restoreDatabase(client, database);
      await slowly(client, `drop database if exists ${name(database)} with (force)`);
      for (const login of logins) await this.#dropLogin(client, database, login);
      await client.query(`drop role if exists ${name(database)}`);
    });
  }

  nameOf(owner: DatabaseOwner): string {
    return databaseNameOf(owner);
  }

  copy(owner: DatabaseOwner, copyId: string, timeoutMs: number): Promise<DatabaseCopy | undefined> {
    const [database, copy] = [databaseNameOf(owner), copyNameOf(copyId)];
    const { administrator, clock } = this.#options;
    const end = clock.monotonic() + timeoutMs;
    const leftMs = (): number => end - clock.monotonic();
    return this.#administer(database, (client) => copyDatabase(client, administrator, { database, copy, leftMs }));
  }

  async restoreCopy(owner: DatabaseOwner, copyId: string, from: DatabaseOwner): Promise<void> {
    const restored = { database: databaseNameOf(owner), copy: copyNameOf(copyId), from: databaseNameOf(from) };
    await this.#administer(restored.database, async (client) => {
      // Two apps may get one copy, and the databases that it passes through have its name.
      await this.#administer(restored.copy, () => restoreDatabaseCopy(client, this.#options.administrator, restored));
      await this.#guard.learn(client);
    });
  }

  async removeCopy(copyId: string): Promise<void> {
    const copy = copyNameOf(copyId);
    await this.#administer(copy, (client) => removeDatabaseCopy(client, copy));
  }

  nameOfCopy(copyId: string): string {
    return copyNameOf(copyId);
  }

  async limitSizes(): Promise<readonly DatabaseSize[]> {
    await this.#prepare();
    const { administrator, sizeLimitBytes: limitBytes } = this.#options;
    const measured = await connected(administrator, measureDatabases);
    const checked = await Promise.all(
      measured.map(async (found) => (isSettled(found, limitBytes) ? found : await this.#applySizeLimit(found))),
    );
    return checked.flatMap(({ name, usedBytes }) =>
      usedBytes === undefined ? [] : [{ name, usedBytes, limitBytes, isFull: usedBytes > limitBytes }],
    );
  }

  /** One app does not keep the sizes of the others from being checked. */
  async #applySizeLimit(found: MeasuredDatabase): Promise<MeasuredDatabase> {
    const { sizeLimitBytes: limitBytes, logger } = this.#options;
    const { name: database } = found;
    try {
      const usedBytes = await this.#administer(database, (client) =>
        applySizeLimit(client, { database, limitBytes, connections: this.#connectionsOf(database), logger }),
      );
      return { ...found, usedBytes };
    } catch (error) {
      logger.warn({ err: error, database }, "app databases: applying the size limit failed");
      return found;
    }
  }

  /** Returns how many connections a login gets while its database is within its size limit. */
  #connectionsOf(database: string): number {
    return this.#guard.keepsOut(database) ? 0 : this.#options.connectionLimit;
  }

  async #createRoles(client: pg.Client, database: string, user: string, verifier: string): Promise<void> {
    const { statementTimeoutMs, idleTransactionTimeoutMs } = this.#options;
    if (!(await exists(client, "pg_roles", database))) await client.query(`create role ${name(database)} nologin`);
    if (!(await exists(client, "pg_roles", user))) await client.query(`create role ${name(user)} nologin`);
    // Since PostgreSQL 16 the creator of a role is not a full member of it.
    await client.query(`grant ${name(database)}, ${name(user)} to current_user`);
    await client.query(`grant ${name(database)}, ${name(appsRole)} to ${name(user)}`);
    const connections = await connectionsOf(client, database, this.#connectionsOf(database));
    await client.query(`alter role ${name(user)} login connection limit ${connections} password '${verifier}'`);
    await client.query(`alter role ${name(user)} set role to ${client.escapeLiteral(database)}`);
    await client.query(`alter role ${name(user)} set statement_timeout to ${statementTimeoutMs}`);
    await client.query(`alter role ${name(user)} set idle_in_transaction_session_timeout to ${idleTransactionTimeoutMs}`);
    if (await mayLimitFiles(client)) await client.query(`alter role ${name(user)} set temp_file_limit to '${temporaryFiles}'`);
  }

  async #dropLogin(client: pg.Client, database: string, login: string): Promise<void> {
    if (!(await exists(client, "pg_roles", login))) return;
    await endLogin(client, login);
    await restoreDatabase(client, database);
    // An app can leave its owner role, so a login may own objects.
    if (await exists(client, "pg_database", database)) {
      const inApp = { ...this.#options.administrator, database };
      await connected(inApp, async (own) => {
        await limit(own);
        await own.query(`reassign owned by ${name(login)} to ${name(database)}`);
        await own.query(`drop owned by ${name(login)}`);
      });
    }
    await client.query(`drop role ${name(login)}`);
  }

  /**
   * One at a time for each app, also with other orchestrators, because PostgreSQL rejects concurrent changes of the same role. An app
   * that keeps its own database or roles locked delays only itself, and not for long: the sessions that do so end.
   */
  #administer<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { clock, logger } = this.#options;
    return this.#queues.run(database, async () => {
      await this.#prepare();
      return await connected(this.#options.administrator, async (client) => {
        await client.query("select pg_advisory_lock($1, $2)", [advisoryLocks.appDatabase, appNumberOf(database)]);
        await limit(client);
        const connect = () => openClient(this.#options.administrator);
        return await withoutBlockers({ connect, database, clock, logger }, () => repeated(client, () => work(client)));
      });
    });
  }
}

/** No statement of an administration waits long. */
async function limit(client: pg.Client): Promise<void> {
  await client.query(`set statement_timeout to ${statementTimeoutMs}; set lock_timeout to ${lockTimeoutMs}`);
}

async function slowly(client: pg.Client, statement: string): Promise<void> {
  await client.query(`set statement_timeout to ${administrationTimeoutMs}`);
  await client.query(statement);
  await client.query(`set statement_timeout to ${statementTimeoutMs}`);
}

/** Repeats `work` if the app changed at the same moment what it changes, or kept it locked for too long. */
async function repeated<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isContention(toDatabaseError(error))) throw error;
    }
    await client.query("rollback");
  }
}

/** Takes back what an app can do to its own database to keep administrators out, and what a killed orchestrator did for a copy. */
async function restoreDatabase(client: pg.Client, database: string): Promise<void> {
  if (!(await exists(client, "pg_database", database))) return;
  const own = `database ${name(database)}`;
  await client.query(`alter ${own} is_template false connection limit -1 allow_connections true`);
  await client.query(`alter ${own} reset all`);
  await client.query(`grant connect, temporary on ${own} to ${name(database)}`);
}
