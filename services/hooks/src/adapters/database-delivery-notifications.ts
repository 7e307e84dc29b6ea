import type { Database } from "@appserver/kernel/ports";
import type { DeliveryNotifications } from "../ports.ts";
import { hooksChannel } from "./store-triggers.ts";

/** Receives notifications of deliveries by LISTEN. */
export class DatabaseDeliveryNotifications implements DeliveryNotifications {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  listen(onNotification: (appName: string) => void, onMissed: () => void): Promise<{ close(): Promise<void> }> {
    return this.#database.listen(hooksChannel, onNotification, onMissed);
  }
}
