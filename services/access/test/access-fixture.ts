import { EmbeddedAuthorization, MemoryTupleStore } from "@appserver/authorization-embedded";
import { authorizationModel, initialTuples, type Tuple } from "@appserver/contracts/authorization";
import { platformMigrations, SystemClock, silentLogger } from "@appserver/kernel";
import {
  AuthorizedPermissions,
  createTestDatabase,
  type MapCache,
  type MapIdentity,
  RecordingMetrics,
  recordsMigrations,
  SqlAuditLog,
  startTestPostgres,
  type TestDatabase,
} from "@appserver/testing/kit";
import { accessMigrations } from "../migrations/index.ts";
import { sqlAccessRequests } from "../src/adapters/sql-access-requests.ts";
import { sqlAgentConsents } from "../src/adapters/sql-agent-consents.ts";
import { sqlAppMessages } from "../src/adapters/sql-app-messages.ts";
import { sqlGroupReadings } from "../src/adapters/sql-group-readings.ts";
import { sqlMappedGrants } from "../src/adapters/sql-mapped-grants.ts";
import { sqlServiceAccounts } from "../src/adapters/sql-service-accounts.ts";
import { RefusedChanges } from "../src/domain/refused-changes.ts";
import { CachedPermissions } from "../src/use-cases/check-permission.ts";

const clock = new SystemClock();

/** Opens a database with the tables of the service. */
export async function openHome(): Promise<TestDatabase> {
  const server = await startTestPostgres();
  const home = await createTestDatabase(server);
  await home.database.migrate([...platformMigrations, ...recordsMigrations, ...accessMigrations]);
  const stop = async (): Promise<void> => {
    await home.stop();
    await server.stop();
  };
  return { ...home, stop };
}

/** Starts an evaluator with the initial tuples and these. */
export async function startAuthorization(tuples: readonly Tuple[] = []): Promise<EmbeddedAuthorization> {
  const authorization = new EmbeddedAuthorization({ model: authorizationModel, store: new MemoryTupleStore(), clock });
  await authorization.start();
  await authorization.write({ writes: [...initialTuples, ...tuples] });
  return authorization;
}

/** Returns the permissions as one server has them: with a cache of its own before the one that all share. */
export function serverPermissions(authorization: EmbeddedAuthorization, cache: MapCache): CachedPermissions {
  return new CachedPermissions({
    authorization,
    cache,
    changes: { recent: () => ({ horizon: 0, latestOf: () => 0 }) },
    clock,
    logger: silentLogger,
    macKey: Buffer.alloc(32, 1),
    metrics: new RecordingMetrics(),
  });
}

export interface AccessParts {
  readonly authorization: EmbeddedAuthorization;
  readonly identity: MapIdentity;
  readonly home: TestDatabase;
}

/** Returns what the use cases need. */
export function contextOf({ authorization, identity, home: { database } }: AccessParts, refused = new RefusedChanges()) {
  return {
    authorization,
    identity,
    permissions: new AuthorizedPermissions(authorization),
    audit: new SqlAuditLog({ database, clock }),
    database,
    readings: sqlGroupReadings,
    mapped: sqlMappedGrants,
    accounts: sqlServiceAccounts,
    requests: sqlAccessRequests,
    messages: sqlAppMessages,
    consents: sqlAgentConsents,
    logger: silentLogger,
    clock,
    refused,
  };
}
