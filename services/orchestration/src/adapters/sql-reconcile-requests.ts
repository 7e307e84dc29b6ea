import type { Database, Subscription } from "@appserver/kernel/ports";
import type { ReconcileRequests } from "../ports.ts";

/** Replicas of other releases listen on it too, so it keeps its name. */
const channel = "orchestration_hint";

/**
 * Sends requests as database notifications. All orchestrators share the database, so the holder of the app's lease receives them
 * too.
 */
export class SqlReconcileRequests implements ReconcileRequests {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async send(appName: string): Promise<void> {
    await this.#database.query("select pg_notify($1, $2)", [channel, appName]);
  }

  async listen(onRequest: (appName: string) => void, onMissed: () => void): Promise<Subscription> {
    return await this.#database.listen(channel, onRequest, onMissed);
  }
}
