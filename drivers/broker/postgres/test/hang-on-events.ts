/** Consumes as configured, prints the id of every event it receives, and never acknowledges one. */

import { PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { testPool } from "@appserver/testing/kit";
import { PostgresBroker } from "../src/postgres-broker.ts";

const [connection = "", options = "", visibilityMs = ""] = process.argv.slice(2);
const clock = new SystemClock();
const database = new PostgresDatabase({ ...testPool, connection: JSON.parse(connection), logger: silentLogger, clock });
const broker = new PostgresBroker({
  database,
  clock,
  logger: silentLogger,
  prefetch: 10,
  maxRetries: 5,
  visibilityMs: Number(visibilityMs),
});
await broker.start();
await broker.consume(JSON.parse(options), ({ event }) => {
  console.log(event.id);
  return new Promise(() => {});
});
console.log("consuming");
