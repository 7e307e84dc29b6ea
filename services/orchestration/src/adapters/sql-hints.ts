import type { Database, Subscription } from "@appserver/kernel/ports";
import type { Hints } from "../ports.ts";

const channel = "orchestration_hint";

/**
 * Sends hints as database notifications. All orchestrators share the database, so the holder of the app's lease receives them
 * too.
 */
export class SqlHints implements Hints {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async raise(appName: string): Promise<void> {
    await this.#database.query("SELECT pg_notify($1, $2)", [channel, appName]);
  }

  async listen(onHint: (appName: string) => void, onMissed: () => void): Promise<Subscription> {
    return await this.#database.listen(channel, onHint, onMissed);
  }
}
