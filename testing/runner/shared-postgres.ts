import { postgresVariable, startOwnPostgres } from "../kit/postgres.ts";
import type { PlannedRun } from "./plan.ts";

/** Calls `work` with the variable that names one PostgreSQL server for all test processes. The server stops afterwards. */
export async function withSharedPostgres<T>(
  runs: readonly PlannedRun[],
  work: (shared: { readonly environment: Readonly<Record<string, string>> }) => Promise<T>,
): Promise<T> {
  if (runs.length === 0) return await work({ environment: {} });
  const server = await startOwnPostgres();
  try {
    return await work({ environment: { [postgresVariable]: JSON.stringify(server.connection) } });
  } finally {
    await server.stop();
  }
}
