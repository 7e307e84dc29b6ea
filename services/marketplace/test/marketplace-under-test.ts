import { EmbeddedAuthorization, MemoryTupleStore } from "@appserver/authorization-embedded";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import type { DeploymentRecord, DeploymentState, Deployments, StoredStorage } from "@appserver/contracts/deployments";
import { systemEventOf } from "@appserver/contracts/events";
import type { AutoUpgrade } from "@appserver/contracts/settings";
import { AppError, type Caller, platformMigrations, SqlLeases, SqlOutbox, SystemClock, silentLogger } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import {
  AuthorizedPermissions,
  callBy,
  createTestDatabase,
  recordsMigrations,
  SqlAuditLog,
  SqlEventHistory,
  startTestPostgres,
} from "@appserver/testing/kit";
import { AuthorizationAppPermissions } from "../src/adapters/authorization-app-permissions.ts";
import { LeaseCommandLock } from "../src/adapters/lease-command-lock.ts";
import { makeSingleUseKey } from "../src/adapters/single-use-keys.ts";
import { SqlApiDescriptions } from "../src/adapters/sql-api-descriptions.ts";
import { SqlAppStore } from "../src/adapters/sql-app-store.ts";
import { SqlApprovalStore } from "../src/adapters/sql-approval-store.ts";
import { SqlGrantComparisons } from "../src/adapters/sql-grant-comparisons.ts";
import type { AppRecord } from "../src/domain/app.ts";
import { isKnown, marketplaceMigrations } from "../src/index.ts";
import type { AppParticipant } from "../src/ports.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { operationReads } from "../src/use-cases/read-operations.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { UnstartedSwitches } from "../src/use-cases/switch/index.ts";
import { countedDatabase } from "./counted-database.ts";
import { liveAppsOn, type ManifestInit, signManifest, type TestIdentity, testIdentity, testManifest } from "./fixtures.ts";
import { MemoryAppSnapshots } from "./memory-app-snapshots.ts";

const anybody: Caller = { kind: "anonymous" };

/** Starts the use cases on PostgreSQL and embedded permissions. The test controls the responses of the other services. */
export async function startMarketplace() {
  const postgres = await startTestPostgres();
  const { database: uncounted, stop: dropDatabase } = await createTestDatabase(postgres);
  let statements = 0;
  const database = countedDatabase(uncounted, () => {
    statements += 1;
  });
  const clock = new SystemClock();
  const deployments = new Map<string, DeploymentRecord>();
  const undeclared = new Set<string>();
  const [unprepared, prepared, purged] = [new Set<string>(), [] as string[], [] as string[]];
  const [forgotten, unforgotten] = [[] as string[], new Set<string>()];
  const autoUpgrades = new Map<string, AutoUpgrade>();
  const backups = new Map<string, boolean>();
  const snapshots = new MemoryAppSnapshots();
  const stages = new Map<string, string>();
  const documents = new Map<string, object>();
  const [created, objections] = [[] as string[], new Set<string>()];
  const authorization = new EmbeddedAuthorization({ model: authorizationModel, store: new MemoryTupleStore(), clock });
  const audit = new SqlAuditLog({ database, clock });
  const apps = liveAppsOn(database);
  const [restarted, reconciled] = [[] as string[], [] as string[]];
  const [stored, deletedStorage] = [new Map<string, readonly StoredStorage[]>(), [] as string[]];
  const writers = { outbox: new SqlOutbox(), audit, source: "/appserver/test" };
  /** By app: the version whose declarations are stored, in the table `declared`. */
  const declaredVersion = async (appName: string): Promise<unknown> =>
    (await database.query<{ version: string }>("select version from declared where app_name = $1", [appName])).rows[0]?.version;
  const participants: AppParticipant[] = [
    {
      name: "others",
      declarations:
        async ({ app, manifest }) =>
        async (tx) => {
          await tx.query("delete from declared where app_name = $1", [app.name]);
          if (isKnown(app)) await tx.query("insert into declared values ($1, $2)", [app.name, manifest.version]);
          if (undeclared.delete(app.name)) throw new Error("the declarations are refused");
        },
      prepare: async ({ app }) => {
        if (unprepared.delete(app.name)) throw new Error("no room");
        prepared.push(app.name);
      },
      onCreate: async ({ app }, { operationId }) => {
        created.push(`${app.name} ${app.state} ${operationId}`);
        if (objections.delete(app.name)) throw new AppError("UPSTREAM_ERROR", "app.on_create: watcher refused it");
      },
      purge: async (app) => {
        purged.push(app.name);
      },
      forget: async (app) => {
        if (unforgotten.delete(app.name)) throw new AppError("SERVICE_UNAVAILABLE", "away");
        forgotten.push(app.name);
      },
    },
  ];
  const store = new SqlAppStore({ database, ...writers, participants, memory: apps });
  const reported: Deployments = {
    find: async (appId, generation) => {
      statements += 1;
      if (generation !== undefined) return deployments.get(`${appId} ${generation}`);
      const ofApp = [...deployments.values()].filter((deployment) => deployment.appId === appId);
      return ofApp.sort((a, b) => b.generation - a.generation)[0];
    },
    statuses: async () => {
      statements += 1;
      return [...deployments.values()];
    },
    faults: async (appId) =>
      [...deployments.values()].flatMap(({ fault, ...deployment }) =>
        fault && (appId ?? deployment.appId) === deployment.appId ? [{ ...fault, appId: deployment.appId, appName: "" }] : [],
      ),
    outOfDate: async () => {
      statements += 1;
      const found = [...deployments.values()].filter(({ wantedConfiguration }) => wantedConfiguration !== undefined);
      return (await Promise.all(found.map(({ appId }) => store.findById(appId)))).flatMap((app) => app?.name ?? []);
    },
    restart: async (appName) => {
      restarted.push(appName);
    },
    sleep: async () => {},
    wake: async () => {},
    reconcile: async (appName) => {
      reconciled.push(appName);
    },
    degraded: async () => [],
    fullDatabases: async () => [],
    storage: async (appId) => stored.get(appId) ?? [],
    database: async () => undefined,
    removeData: async (removal) => {
      if ("storage" in removal) deletedStorage.push(`${removal.appName} ${removal.storage} ${removal.deploymentId}`);
    },
  };
  const context: MarketplaceContext = {
    apps,
    store,
    operationReads: operationReads({ store, deployments: reported, clock }),
    eventHistory: new SqlEventHistory({ database, clock, present: systemEventOf }),
    unstarted: new UnstartedSwitches(),
    approvals: new SqlApprovalStore(database, writers),
    lock: new LeaseCommandLock(new SqlLeases({ database, holder: "test" }), clock),
    permissions: new AuthorizationAppPermissions(authorization, new AuthorizedPermissions(authorization)),
    deployments: reported,
    snapshots,
    participants,
    settings: {
      storedKeys: async () => [],
      imageStage: async (appId) => stages.get(appId),
      autoUpgrade: async (appId) => autoUpgrades.get(appId),
      backupBeforeUpgrade: async (appId) => backups.get(appId),
    },
    documents: {
      read: async ({ url, managed }) => {
        const found = documents.get(`${managed ? "own " : ""}${url}`);
        if (found === undefined) throw new Error(`GET ${url} returned 404; expected 200`);
        return Buffer.from(JSON.stringify(found));
      },
    },
    descriptions: new SqlApiDescriptions(database),
    makeKey: makeSingleUseKey,
    policy: {
      platformVersion: "0.1.0",
      registration: "open",
      allowUnsigned: true,
      crossAppApproval: "always",
      imageRegistry: "registry",
      imageStage: "latest",
      requiresImageDigest: false,
      maxLimits: { memoryMb: 4_096, cpuShares: 4_096, pids: 1_024 },
      replicaLimit: { most: 10, because: "an operator can raise containers.max_replicas" },
      keepVersions: 5,
      listsAllApps: true,
      drainTimeoutMs: 30_000,
    },
    clock,
    logger: silentLogger,
  };
  await database.migrate([...platformMigrations, ...recordsMigrations, ...marketplaceMigrations]);
  await database.query("create table declared (app_name text primary key, version text not null)");
  await authorization.start();
  await authorization.write({
    writes: [...initialTuples, { user: "user:admin", relation: "assignee", object: "role:easy" }],
  });
  const submit = (name: string, identity: TestIdentity, init: ManifestInit) => {
    const manifest = testManifest(name, identity, init);
    return registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
  };
  return {
    context,
    comparisons: new SqlGrantComparisons(database, audit),
    apps,
    database,
    writers,
    /** Number of SQL statements so far, with those that a read of deployments stands for. */
    statements: (): number => statements,
    /** Registers a manifest under an identity that exists. */
    submit,
    /** Returns the app as it is stored. */
    stored: async (name: string): Promise<AppRecord> => {
      const app = await context.store.findByName(name);
      if (!app) throw new Error(`${name} is not registered`);
      return app;
    },
    authorization,
    audit,
    /** Makes the orchestrator report a deployment of a generation of an app. */
    deploy: (appId: string, generation: number, state: DeploymentState, more: Partial<DeploymentRecord> = {}): void => {
      deployments.set(`${appId} ${generation}`, deploymentView(appId, generation, state, more));
    },
    restarted,
    reconciled,
    /** The storage that exists, by app id. */
    storage: stored,
    deletedStorage,
    forgotten,
    unforgotten,
    declaredVersion,
    undeclared,
    unprepared,
    prepared,
    purged,
    stages,
    autoUpgrades,
    /** The OpenAPI documents of apps by their URL, after "own " if the platform runs the server. */
    documents,
    /** Whether data is copied before upgrades, by app id. */
    backups,
    snapshots,
    created,
    objections,
    eventsOf: async (name: string): Promise<readonly EventEnvelope[]> => {
      const { rows } = await database.query<{ event: EventEnvelope }>(
        "select event from platform.outbox where subject = $1 order by id",
        [name],
      );
      return rows.map((row) => row.event);
    },
    register: async (name: string, init: ManifestInit = {}, identity = testIdentity(name)) => {
      const keys = await identity;
      const manifest = testManifest(name, keys, init);
      const manifestSignature = signManifest(manifest, keys);
      const { app, operation } = await registerApp(context, { manifest, manifestSignature }, callBy(anybody));
      return { identity: keys, app, manifest, operation };
    },
    stop: async (): Promise<void> => {
      await authorization.stop();
      await dropDatabase();
      await postgres.stop();
    },
  };
}

function deploymentView(
  appId: string,
  generation: number,
  state: DeploymentState,
  more: Partial<DeploymentRecord>,
): DeploymentRecord {
  const at = new Date();
  const isHealthy = state === "HEALTHY";
  return {
    id: "d",
    appId,
    appVersion: "1.0.0",
    state,
    containerId: "c",
    healthStatus: isHealthy ? "HEALTHY" : "UNHEALTHY",
    driver: "process",
    image: "i",
    containerName: "app-x",
    generation,
    restartCount: 0,
    endpoint: isHealthy ? "http://127.0.0.1:1" : undefined,
    final: false,
    createdAt: at,
    updatedAt: at,
    ...more,
  };
}
