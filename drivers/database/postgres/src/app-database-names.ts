import type { DatabaseOwner } from "@appserver/kernel/ports";

/** The role whose members are the logins of all apps. Rules of `pg_hba.conf` name it. */
export const appsRole = "appserver_apps";

/**
 * Returns lines of `pg_hba.conf` that let the logins of apps connect to their own database only. They must be the first lines.
 * `administrators` create these logins, which makes them members of the same role.
 */
export function appAccessRules(administrators: readonly string[], address = "all"): readonly string[] {
  const names = [...new Set(administrators)].map((name) => `"${name}"`).join(",");
  return [
    `host all ${names} ${address} scram-sha-256`,
    `host samerole +${appsRole} ${address} scram-sha-256`,
    `host all +${appsRole} all reject`,
  ];
}

/**
 * Returns the name of an app's database and of its owner role: `app_<name>_<end of the id>`. PostgreSQL names have at most 63
 * bytes, app names have as many, and two apps with the same beginning have other ids.
 */
export function databaseNameOf({ appId, appName }: DatabaseOwner): string {
  return `app_${appName.slice(0, 40)}_${appId.replaceAll("-", "").slice(-8)}`;
}

export function loginNameOf(owner: DatabaseOwner, generation: number): string {
  return `${databaseNameOf(owner)}_g${generation}`;
}
