import { migrateActivityQueue } from "@appserver/activity";
import { OpenFgaAuthorization } from "@appserver/authorization-openfga";
import { brokerMigrations } from "@appserver/broker-postgres";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import type { PostgresDatabase } from "@appserver/database-postgres";
import { isAppError, Lifecycle, type Logger, platformMigrations, SqlOutbox, SystemClock } from "@appserver/kernel";
import type { Authorization, Tuple } from "@appserver/kernel/ports";
import { openDatabase, usesRabbitMq } from "@appserver/orchestrator/drivers";
import { serviceMigrations } from "./compose-services.ts";
import type { ServeConfig } from "./config/serve-config.ts";
import { AnnouncedAuthorization } from "./wiring/announced-authorization.ts";

/** What an operator does beside the running servers; each opens only what it needs. */
export interface AdminContext {
  readonly config: ServeConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export interface BootstrapReport {
  readonly storeId: string;
  readonly modelId: string;
  readonly storeCreated: boolean;
  readonly modelWritten: boolean;
}

/** Any number, the same in every process: two bootstraps at the same moment would create two stores of one name. */
const bootstrapLock = 7_203_114_906;
const bootstrapPatienceMs = 120_000;
const retryMs = 1_000;

/** Applies the migrations that are missing, once the database can be reached; answers their names. */
export function migrateDatabase(context: AdminContext): Promise<readonly string[]> {
  const ofBroker = usesRabbitMq(context.config.rabbitmq) ? [] : brokerMigrations;
  const migrations = [...platformMigrations, ...ofBroker, ...serviceMigrations];
  return withDatabase(context, async (database) => [
    ...(await database.migrateWhenReachable(migrations, context.signal)),
    ...(await migrateActivityQueue(database, context.logger)),
  ]);
}

/**
 * Makes the authorization store, its model and the first tuples what the platform needs (specification §5, authorization
 * rules 6 and 7). A second run changes nothing. Waits for services that are just starting, two minutes at most.
 */
export function bootstrapAuthorization(context: AdminContext): Promise<BootstrapReport> {
  const clock = new SystemClock();
  const deadline = clock.monotonic() + bootstrapPatienceMs;
  const attempt = (database: PostgresDatabase, authorization: OpenFgaAuthorization): Promise<BootstrapReport> =>
    database.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [bootstrapLock]);
      const report = await authorization.bootstrap({ model: authorizationModel, createStore: true });
      await authorization.write({ writes: initialTuples });
      return report;
    });
  return withDatabase(context, async (database) => {
    await database.whenReachable(context.signal);
    const authorization = openAuthorization(context);
    for (;;) {
      try {
        return await attempt(database, authorization);
      } catch (error) {
        if (!isAppError(error, "SERVICE_UNAVAILABLE") || clock.monotonic() > deadline) throw error;
        context.logger.warn({ reason: error.message }, "the authorization service does not answer yet; trying again");
        await clock.sleep(retryMs, context.signal);
      }
    }
  });
}

/** Writes or removes tuples, and tells every running server: caches forget within a second. */
export function changeTuples(
  context: AdminContext,
  change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] },
): Promise<void> {
  return withAuthorization(context, (authorization) => authorization.write(change));
}

/** Whether the tuple holds, whatever it follows from. */
export function checkTuple(context: AdminContext, tuple: Tuple): Promise<boolean> {
  return withAuthorization(context, (authorization) => authorization.check(tuple));
}

function withAuthorization<T>(context: AdminContext, work: (authorization: Authorization) => Promise<T>): Promise<T> {
  return withDatabase(context, (database) =>
    work(
      new AnnouncedAuthorization({
        authorization: openAuthorization(context),
        database,
        outbox: new SqlOutbox(),
        clock: new SystemClock(),
        source: `/appserver/${context.config.server.instance}`,
      }),
    ),
  );
}

function openAuthorization({ config, logger }: AdminContext): OpenFgaAuthorization {
  const {
    openfgaApiUrl: apiUrl,
    openfgaApiToken: apiToken,
    openfgaStoreId,
    openfgaStoreName,
    openfgaModelId,
  } = config.authServices;
  return new OpenFgaAuthorization({
    apiUrl,
    apiToken,
    storeId: openfgaStoreId,
    storeName: openfgaStoreName,
    modelId: openfgaModelId,
    clock: new SystemClock(),
    logger,
  });
}

async function withDatabase<T>(context: AdminContext, work: (database: PostgresDatabase) => Promise<T>): Promise<T> {
  const lifecycle = new Lifecycle(() => {});
  const database = await lifecycle.use(openDatabase(context.config.database, new SystemClock(), context.logger));
  try {
    return await work(database);
  } finally {
    await lifecycle.stop();
  }
}
