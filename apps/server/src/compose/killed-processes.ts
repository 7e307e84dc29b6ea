import { PostgresBroker } from "@appserver/broker-postgres";
import { removeKilledServers, SqlLeases, SystemClock } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { removeKilledReplicas } from "@appserver/marketplace";
import { type AdminContext, withDatabase } from "./admin.ts";

/** Ends the leases and removes the replicas of killed processes. For a process that can be sure that all others have ended. */
export async function releaseLeases(database: Database): Promise<void> {
  await new SqlLeases({ database, holder: "start" }).releaseAll();
  await removeKilledReplicas(database);
}

/**
 * Releases all that killed processes held in the database of a data folder, which one process at a time uses: so a start does not wait
 * until they count as ended. The tables must exist.
 */
export async function releaseKilled(context: AdminContext): Promise<void> {
  const { config, logger } = context;
  const { prefetchCount: prefetch, maxRetries } = config.broker;
  await withDatabase(context, async (database) => {
    await releaseLeases(database);
    await removeKilledServers(database);
    if (config.drivers.broker.choice !== "postgres") return;
    await new PostgresBroker({ database, prefetch, maxRetries, clock: new SystemClock(), logger }).releaseAll();
  });
}
