import type { Database } from "@appserver/kernel/ports";

/** What the accounts need of the platform's database. */
export type AccountsDatabase = Pick<Database, "query" | "transaction" | "listen" | "ping">;

/** Returns a database whose calls wait until the platform's one has started. */
export function startedDatabase(database: () => Promise<Database>): AccountsDatabase {
  return {
    query: async (text, parameters) => (await database()).query(text, parameters),
    transaction: async (work, options) => (await database()).transaction(work, options),
    listen: async (...given) => (await database()).listen(...given),
    ping: async (timeoutMs) => (await database()).ping(timeoutMs),
  };
}
