import type { Database } from "@appserver/kernel/ports";
import type { DeliveryNews } from "../ports.ts";
import { hooksChannel } from "./store-triggers.ts";

/** Receives delivery news by LISTEN. */
export class DatabaseDeliveryNews implements DeliveryNews {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  listen(onNews: (appName: string) => void, onMissed: () => void): Promise<{ close(): Promise<void> }> {
    return this.#database.listen(hooksChannel, onNews, onMissed);
  }
}
