import { randomBytes } from "node:crypto";
import { advisoryLocks, type Component, StartError } from "@appserver/kernel";
import type { AppDatabases, DatabaseLogin, DatabaseOwner } from "@appserver/kernel/ports";
import pg from "pg";
import { appsRole, databaseNameOf, loginNameOf } from "./app-database-names.ts";
import { clientConfig, type PostgresConnection } from "./postgres-connection.ts";
import { toDatabaseError } from "./postgres-errors.ts";

export interface PostgresAppDatabasesOptions {
  /** Of a role with CREATEDB and CREATEROLE. */
  readonly administrator: PostgresConnection;
  /** Of the role that owns the platform's database. May be the same. */
  readonly platform: PostgresConnection;
  /** Where apps reach the server. */
  readonly address: { readonly host: string; readonly port: number };
  /** Maximum number of connections of one login. */
  readonly connectionLimit: number;
  /** The server cancels a longer statement of an app, unless the app sets another timeout. */
  readonly statementTimeoutMs: number;
}

/** For statements of this driver. The server copies a template when it creates a database. */
const administrationTimeoutMs = 60_000;
/** Another session created the same object at the same time. */
const existsStates: readonly unknown[] = ["42710", "42P04", "23505"];
/** A role or a database does not exist. */
const absentStates: readonly unknown[] = ["42704", "3D000"];

/**
 * Databases of apps on a PostgreSQL server (15 or newer). An app has a database and an owner role with the same name. The logins
 * of its generations are members of that role and act as it, so that every generation can change what another one created.
 */
export class PostgresAppDatabases implements AppDatabases, Component {
  readonly name = "app-databases";
  readonly #options: PostgresAppDatabasesOptions;

  constructor(options: PostgresAppDatabasesOptions) {
    this.#options = options;
  }

  /**
   * Closes the platform's databases to the logins of apps. Rejects with StartError if the administrator lacks a right. Must be
   * called before any other method.
   */
  async start(): Promise<void> {
    const { administrator, platform } = this.#options;
    await connected(platform, async (client) => {
      await client.query("select pg_advisory_lock($1)", [advisoryLocks.appDatabases]);
      const { rows } = await client.query<{ readonly datname: string }>(
        "select datname from pg_database where datdba = current_user::regrole and datallowconn",
      );
      for (const { datname } of rows) {
        await client.query(`grant connect on database ${name(datname)} to ${name(administrator.user)}`);
        await client.query(`revoke connect, temporary on database ${name(datname)} from public`);
      }
    });
    await this.#administer(async (client) => {
      if (!(await mayAdminister(client))) {
        throw new StartError(
          `The role ${administrator.user} may not create databases and roles, which a database for each app needs: set ` +
            "containers.database_admin_url to a role with CREATEDB and CREATEROLE, or containers.isolation to shared.",
        );
      }
      await createUnlessExists(client, `create role ${name(appsRole)} nologin`);
    });
  }

  async stop(): Promise<void> {
    // Connections end with each call.
  }

  async open(owner: DatabaseOwner, generation: number): Promise<DatabaseLogin> {
    const database = databaseNameOf(owner);
    const user = loginNameOf(owner, generation);
    // URL-safe, because apps put it into connection URLs.
    const password = randomBytes(24).toString("base64url");
    const { address, connectionLimit, statementTimeoutMs } = this.#options;
    await this.#administer(async (client) => {
      await createUnlessExists(client, `create role ${name(database)} nologin`);
      await createUnlessExists(client, `create role ${name(user)} login`);
      // Since PostgreSQL 16 the creator of a role is not a full member of it.
      await client.query(`grant ${name(database)}, ${name(user)} to current_user`);
      await client.query(`grant ${name(database)}, ${name(appsRole)} to ${name(user)}`);
      await client.query(
        `alter role ${name(user)} login connection limit ${connectionLimit} password ${client.escapeLiteral(password)}`,
      );
      await client.query(`alter role ${name(user)} set role to ${client.escapeLiteral(database)}`);
      await client.query(`alter role ${name(user)} set statement_timeout to ${statementTimeoutMs}`);
      const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
      // template1 may be in use by another session; template0 cannot be.
      if (rowCount === 0)
        await createUnlessExists(client, `create database ${name(database)} owner ${name(database)} template template0`);
      await client.query(`revoke connect, temporary on database ${name(database)} from public`);
    });
    const { host, port } = address;
    return { host, port, database, user, password };
  }

  async close(owner: DatabaseOwner, generation: number): Promise<void> {
    await this.#dropLogins(owner, [loginNameOf(owner, generation)]);
  }

  async remove(owner: DatabaseOwner): Promise<void> {
    const database = databaseNameOf(owner);
    const logins = await this.#administer(async (client) => {
      const { rows } = await client.query<{ readonly rolname: string }>(
        "select rolname from pg_roles where starts_with(rolname, $1) and rolname ~ '_g[0-9]+$'",
        [`${database}_g`],
      );
      return rows.map(({ rolname }) => rolname);
    });
    await this.#administer((client) => client.query(`drop database if exists ${name(database)} with (force)`));
    await this.#dropLogins(owner, logins);
    await this.#administer((client) => client.query(`drop role if exists ${name(database)}`));
  }

  async #dropLogins(owner: DatabaseOwner, logins: readonly string[]): Promise<void> {
    const database = databaseNameOf(owner);
    for (const login of logins) {
      const isOpen = await this.#administer(async (client) => {
        const { rowCount } = await client.query("select from pg_roles where rolname = $1", [login]);
        if (rowCount === 0) return false;
        // First no new session, then the end of the open ones.
        await client.query(`alter role ${name(login)} nologin`);
        await client.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = $1", [login]);
        return true;
      });
      if (!isOpen) continue;
      // An app can leave its owner role, so a login may own objects.
      const inApp = { ...this.#options.administrator, database };
      await connected(inApp, (client) =>
        client.query(`reassign owned by ${name(login)} to ${name(database)}; drop owned by ${name(login)}`),
      ).catch(ignoreAbsence);
      await this.#administer((client) => client.query(`drop role if exists ${name(login)}`));
    }
  }

  /** One at a time on the server: PostgreSQL rejects concurrent changes of the same role. */
  #administer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return connected(this.#options.administrator, async (client) => {
      await client.query("select pg_advisory_lock($1)", [advisoryLocks.appDatabases]);
      return work(client);
    });
  }
}

async function connected<T>(connection: PostgresConnection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(clientConfig(connection, administrationTimeoutMs));
  // A connection that is lost between two statements makes the next one fail.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw error instanceof StartError ? error : toDatabaseError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

async function mayAdminister(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_roles where rolname = current_user and (rolsuper or (rolcreatedb and rolcreaterole))",
  );
  return rowCount === 1;
}

async function createUnlessExists(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if (!existsStates.includes((error as { readonly code?: unknown }).code)) throw error;
  }
}

function ignoreAbsence(error: unknown): void {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  if (!absentStates.includes(cause?.code)) throw error;
}

function name(text: string): string {
  return pg.escapeIdentifier(text);
}
