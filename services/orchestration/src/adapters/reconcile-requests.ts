import type { Database, Subscription } from "@appserver/kernel/ports";

const channel = "orchestration_hint";

/** Notifies every orchestrator to check an app now. A request may be lost. */
export async function sendReconcileRequest(database: Database, appName: string): Promise<void> {
  await database.query("select pg_notify($1, $2)", [channel, appName]);
}

/** Calls `onRequest` for each request. `onMissed` is called when requests may have been missed. */
export async function listenForReconcileRequests(
  database: Database,
  onRequest: (appName: string) => void,
  onMissed: () => void,
): Promise<Subscription> {
  return await database.listen(channel, onRequest, onMissed);
}
