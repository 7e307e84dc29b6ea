import type { SqlExecutor } from "@appserver/kernel/ports";

/** Stores that an app should fall asleep. Returns its name, or undefined if it does not serve. */
export function requestSleep(database: SqlExecutor, appId: string): Promise<string | undefined> {
  return request(database, "sleep_requested_at", "HEALTHY", appId);
}

/** Stores that an app should wake up. Returns its name, or undefined if it is not asleep. */
export function requestWake(database: SqlExecutor, appId: string): Promise<string | undefined> {
  return request(database, "wake_requested_at", "ASLEEP", appId);
}

/** `state` is the only one in which the request has a meaning. */
async function request(
  database: SqlExecutor,
  column: "sleep_requested_at" | "wake_requested_at",
  state: "HEALTHY" | "ASLEEP",
  appId: string,
): Promise<string | undefined> {
  const { rows } = await database.query<{ readonly app_name: string }>(
    `update orchestration.deployments set ${column} = now()
     where role = 'current' and app_id = $1 and state = $2 returning app_name`,
    [appId, state],
  );
  return rows[0]?.app_name;
}
