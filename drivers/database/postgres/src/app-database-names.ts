import type { DatabaseOwner } from "@appserver/kernel/ports";

/** The role whose members are the logins of all apps. Rules of `pg_hba.conf` name it. */
export const appsRole = "appserver_apps";

/**
 * Lines of `pg_hba.conf` that let the logins of apps connect to their own database only. They must come before other rules for
 * all roles, and after the rules for the roles that create these logins: PostgreSQL makes the creator a member of the same role.
 */
export const appAccessRules: readonly string[] = [
  `host samerole +${appsRole} all scram-sha-256`,
  `host all +${appsRole} all reject`,
];

/**
 * Returns the name of an app's database and of its owner role: `app_<name>_<end of the id>`. PostgreSQL names have at most 63
 * bytes, app names have as many, and two apps with the same beginning have other ids.
 */
export function databaseNameOf({ appId, appName }: DatabaseOwner): string {
  return `app_${appName.slice(0, 40)}_${appId.replaceAll("-", "").slice(-8)}`;
}

/** Returns a number of 32 bits for the locks of an app's administration: the end of its id, from the name of its database. */
export function appNumberOf(database: string): number {
  return Number.parseInt(database.slice(-8), 16) | 0;
}

export function loginNameOf(owner: DatabaseOwner, generation: number): string {
  return `${databaseNameOf(owner)}_g${generation}`;
}

/** Returns the database of a login. */
export function appOfLogin(login: string): string {
  return login.replace(/_g\d+$/, "");
}
