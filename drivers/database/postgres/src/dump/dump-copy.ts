import { randomBytes } from "node:crypto";
import type { DatabaseOwner } from "@appserver/kernel/ports";
import { connected } from "../administrator-client.ts";
import { copyNameOf, ensureOwner, handOver, removeDatabaseCopy } from "../app-database-copies.ts";
import { appsRole, databaseNameOf } from "../app-database-names.ts";
import { endLogin, exists, name } from "../app-logins.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import { scramVerifier } from "../scram-verifier.ts";
import type { DumpClients } from "./find-clients.ts";
import { readFromClient, writeToClient } from "./run-client.ts";

/** Yields a dump of the copy of an app's database, in the custom format of pg_dump, without owners and grants. */
export function dumpDatabaseCopy(
  administrator: PostgresConnection,
  copyId: string,
  { dump: program }: DumpClients,
): AsyncGenerator<Uint8Array> {
  const connection = { ...administrator, database: copyNameOf(copyId) };
  return readFromClient({ program, args: ["--format=custom", "--no-owner", "--no-privileges", "--no-password"], connection });
}

export interface ImportedCopy {
  readonly copyId: string;
  /** The app that gets what is in the dump. */
  readonly owner: DatabaseOwner;
  readonly clients: DumpClients;
}

/**
 * Makes a copy of an app's database from a dump. Returns its size. If this rejects, or the process is killed, `removeCopy` of
 * `AppDatabases` removes what it has made. A dump may contain code of the app, for example in a constraint. So it is restored by a role that
 * exists for this time, and may as much as the login of an app.
 */
export async function importDatabaseCopy(
  administrator: PostgresConnection,
  { copyId, owner, clients }: ImportedCopy,
  dump: AsyncIterable<Uint8Array>,
): Promise<number> {
  const copy = copyNameOf(copyId);
  const connection = await createImport(administrator, copy);
  // With a name, pg_restore writes into the database. Without one it only prints.
  const args = ["--no-owner", "--no-privileges", "--exit-on-error", "--no-password", `--dbname=${copy}`];
  await writeToClient({ program: clients.restore, args, connection }, dump);
  return await endImport(administrator, copy, databaseNameOf(owner));
}

/**
 * Returns the connection of the role. It has the name of the database: the rules of `pg_hba.conf` keep members of the role of all apps out of
 * databases with other names.
 */
async function createImport(administrator: PostgresConnection, copy: string): Promise<PostgresConnection> {
  const password = randomBytes(24).toString("base64url");
  const verifier = await scramVerifier(password);
  await connected(administrator, async (client) => {
    await removeDatabaseCopy(client, copy);
    await client.query(`create role ${name(copy)} login connection limit 4 password '${verifier}'`);
    await client.query(`grant ${name(copy)} to current_user`);
    await client.query(`grant ${name(appsRole)} to ${name(copy)}`);
    await client.query(`create database ${name(copy)} owner ${name(copy)} template template0`);
    await client.query(`revoke all on database ${name(copy)} from public`);
  });
  return { ...administrator, user: copy, password, database: copy };
}

/** Makes it a copy like others: the administrator's, with everything in it owned by the role of the app. */
async function endImport(administrator: PostgresConnection, copy: string, owner: string): Promise<number> {
  return await connected(administrator, async (client) => {
    await endLogin(client, copy);
    await ensureOwner(client, owner);
    await client.query(`alter database ${name(copy)} owner to current_user`);
    await client.query(`revoke all on database ${name(copy)} from public, ${name(copy)}`);
    await connected({ ...administrator, database: copy }, (inCopy) => handOver(inCopy, copy, owner));
    if (await exists(client, "pg_roles", copy)) await client.query(`drop role ${name(copy)}`);
    const { rows } = await client.query<{ readonly bytes: number }>("select pg_database_size($1) as bytes", [copy]);
    return Number(rows[0]?.bytes ?? 0);
  });
}
