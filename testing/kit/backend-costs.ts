import { setTimeout as sleep } from "node:timers/promises";
import { metricCatalogue } from "@appserver/contracts/metrics";
import type { ProductionServer } from "./production-server.ts";
import type { ProductionServices } from "./production-services.ts";

/** What servers have asked PostgreSQL and OpenFGA since their start. */
export interface BackendCosts {
  /** Transactions of the database, of all processes, also those that failed; each statement outside of a transaction is one. */
  readonly transactions: number;
  /** Checks of permissions that OpenFGA answered. */
  readonly checks: number;
}

/**
 * Returns the published costs. A connection of PostgreSQL publishes its counts at most once a second: with a later statement, or
 * after ten idle seconds.
 */
export async function backendCosts(
  { database }: Pick<ProductionServices, "database">,
  servers: readonly Pick<ProductionServer, "httpUrl">[],
): Promise<BackendCosts> {
  const { rows } = await database.query<{ count: number }>(
    "select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()",
  );
  const [row] = rows;
  if (!row) throw new Error("PostgreSQL has no statistics of the database");
  const checks = await Promise.all(servers.map(checksBy));
  return { transactions: row.count, checks: checks.reduce((sum, count) => sum + count, 0) };
}

export interface MeasuredCosts extends BackendCosts {
  /** The transactions without those that the servers have in the same time anyway. */
  readonly transactionsAboveIdle: number;
}

/** After this time every connection has published its counts, also an idle one. */
const publishedMs = 11_000;

/** Returns what the work costs. Before it nothing is to happen but what the servers do by themselves, which is measured first. */
export async function measureCosts(
  services: Pick<ProductionServices, "database">,
  servers: readonly Pick<ProductionServer, "httpUrl">[],
  work: () => Promise<unknown>,
): Promise<MeasuredCosts> {
  const settled = async (): Promise<BackendCosts> => {
    await sleep(publishedMs);
    return backendCosts(services, servers);
  };
  const before = await settled();
  const idleSince = performance.now();
  const idle = await settled();
  const startedAt = performance.now();
  await work();
  const after = await settled();
  const transactions = after.transactions - idle.transactions;
  const share = (performance.now() - startedAt) / (startedAt - idleSince);
  const transactionsAboveIdle = Math.round(transactions - (idle.transactions - before.transactions) * share);
  return { transactions, transactionsAboveIdle, checks: after.checks - idle.checks };
}

async function checksBy({ httpUrl }: Pick<ProductionServer, "httpUrl">): Promise<number> {
  const text = await (await fetch(`${httpUrl}/metrics`)).text();
  const line = new RegExp(`^${metricCatalogue.permissionChecks.name}\\{[^}]*source="service"[^}]*\\} (\\d+)`, "m").exec(text);
  return Number(line?.[1] ?? 0);
}
