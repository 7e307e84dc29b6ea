import { StartError } from "@appserver/kernel";
import pg from "pg";
import { appsRole } from "./app-database-names.ts";

/** SQLSTATE of a statement that names a database that does not exist. */
const unknownDatabase = "3D000";

/** Returns whether two connections lead to the same server, whatever their addresses are. */
export async function isSameServer(one: pg.Client, other: pg.Client): Promise<boolean> {
  return (await serverOf(one)) === (await serverOf(other));
}

/** The refusal of the platform's own server, with both ways out. */
export function sharedServerRefusal(): StartError {
  return new StartError(
    "The databases of apps would be on the platform's own PostgreSQL server, where an app can stop the platform's writes: set " +
      "containers.database_admin_url to another server, or accept this with containers.database_shared_server=true.",
  );
}

/** Throws StartError if the role of the connection may not create databases and roles. */
export async function requireRights(administrator: pg.Client): Promise<void> {
  const { rowCount } = await administrator.query(
    "select from pg_roles where rolname = current_user and (rolsuper or (rolcreatedb and rolcreaterole))",
  );
  if (rowCount === 1) return;
  throw new StartError(
    `The role ${administrator.user} may not create databases and roles, which a database for each app needs: set ` +
      "containers.database_admin_url to a role with CREATEDB and CREATEROLE, or containers.isolation to shared.",
  );
}

/** Returns whether the administrator may limit temporary files: a superuser, or a role that was granted the parameter. */
export async function mayLimitFiles(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select where has_parameter_privilege('temp_file_limit', 'set')");
  return rowCount === 1;
}

/** Closes every database of the connection's role to the logins of apps. */
export async function closeDatabases(owner: pg.Client, administrator: string): Promise<void> {
  const { rows } = await owner.query<{ readonly datname: string }>(
    "select datname from pg_database join pg_roles on datdba = pg_roles.oid where rolname = current_user and datallowconn",
  );
  for (const { datname } of rows) {
    const database = pg.escapeIdentifier(datname);
    try {
      await owner.query(`grant connect on database ${database} to ${pg.escapeIdentifier(administrator)}`);
      await owner.query(`revoke connect, temporary on database ${database} from public`);
    } catch (error) {
      // It was dropped after the list was read.
      if ((error as { readonly code?: unknown }).code !== unknownDatabase) throw error;
    }
  }
}

/** Ends what apps may still do on a server that their databases were on earlier, as far as the role of the connection may. */
export async function endLogins(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly rolname: string }>(
    `select login.rolname from pg_auth_members join pg_roles login on login.oid = member join pg_roles apps on apps.oid = roleid
     where apps.rolname = $1 and login.rolcanlogin and not login.rolcreaterole
       and (select rolsuper from pg_roles where rolname = current_user)`,
    [appsRole],
  );
  for (const { rolname } of rows) {
    await client.query(`alter role ${pg.escapeIdentifier(rolname)} nologin`);
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [rolname]);
  }
}

/** Returns how many databases of apps this server has. */
export async function countAppDatabases(client: pg.Client): Promise<number> {
  // Each has an owner role of the same name, whose logins are members of the role of all apps.
  const { rows } = await client.query<{ readonly count: number }>(
    `select count(distinct datname)::int as count from pg_database
     join pg_roles on rolname = datname and pg_roles.oid = datdba
     where starts_with(datname, 'app_') and exists (select from pg_roles where rolname = $1)`,
    [appsRole],
  );
  return rows[0]?.count ?? 0;
}

/** A number that PostgreSQL makes when it creates a server's data. The copy of a server has the same. */
async function serverOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ readonly id: string }>("select system_identifier::text as id from pg_control_system()");
  return rows[0]?.id ?? "";
}
