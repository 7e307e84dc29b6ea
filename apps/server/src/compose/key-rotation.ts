import { join } from "node:path";
import { EmbeddedPostgres, PostgresDatabase } from "@appserver/database-postgres";
import { hooksMigrations, resealTargets } from "@appserver/hooks";
import { Lifecycle, type Logger, platformMigrations, SqlOutbox, SystemClock } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { orchestrationMigrations, resealIdentities } from "@appserver/orchestration";
import { recordsMigrations, SqlAuditLog } from "@appserver/records";
import {
  createSecretSeal,
  type EncryptionKeys,
  type RotationReport,
  rotateSettingsKey,
  settingsMigrations,
} from "@appserver/settings";
import type { DevConfig } from "../config/dev-config.ts";
import { migrationsOfDrivers, openDriver } from "../config/drivers/driver-catalogue.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import type { UpConfig } from "../config/up-config.ts";
import { lockDataFolder } from "../data-folder/data-folder.ts";
import { SettingsKeyFile } from "../data-folder/settings-keys.ts";
import type { AdminContext } from "./admin.ts";
import { openDatabase, poolOptions } from "./drivers.ts";

interface Rotation {
  readonly keys: EncryptionKeys;
  /** Id of the installation in events. */
  readonly instance: string;
  /** Called after each batch with the number of values that were encrypted again so far. */
  readonly onProgress: (rotated: number) => void;
  readonly signal: AbortSignal;
  readonly config: Pick<ServeConfig | DevConfig | UpConfig, "drivers" | "auth" | "branding">;
  readonly logger: Logger;
}

/** Encrypts every secret setting with the newest configured key, while servers that have this key keep running. */
export async function rotateConfiguredKey(
  { config, logger, signal }: AdminContext,
  onProgress: (rotated: number) => void,
): Promise<RotationReport> {
  const clock = new SystemClock();
  const lifecycle = new Lifecycle({ onError: () => {} });
  try {
    const database = await lifecycle.use(openDatabase(config.database, clock, logger));
    const keys = { load: async () => config.settingsEncryption.encryptionKeys };
    return await rotate(database, { keys, instance: config.server.instance, onProgress, signal, config, logger });
  } finally {
    await lifecycle.stop();
  }
}

/**
 * Adds a new key to a data folder and encrypts every secret setting with it. A platform that runs on the folder loads the key.
 */
export async function rotateDataFolderKey(
  config: DevConfig,
  logger: Logger,
  signal: AbortSignal,
  onProgress: (rotated: number) => void,
): Promise<RotationReport> {
  const {
    dev: { dataDir },
    database: pool,
  } = config;
  const clock = new SystemClock();
  const keys = new SettingsKeyFile(dataDir);
  const lifecycle = new Lifecycle({ onError: () => {} });
  try {
    const lock = lockDataFolder(dataDir);
    if ("release" in lock) await lifecycle.use({ name: "data folder", stop: () => lock.release() });
    // A platform that runs on the folder also runs the database, and keeps it running.
    const postgres = await lifecycle.use(
      new EmbeddedPostgres({ folder: join(dataDir, "postgres"), join: "heldBy" in lock, clock, logger }),
    );
    const database = await lifecycle.use(
      new PostgresDatabase({ connection: postgres.connection, ...poolOptions(pool), clock, logger }),
    );
    await keys.add();
    return await rotate(database, { keys, instance: "dev", onProgress, signal, config, logger });
  } finally {
    await lifecycle.stop();
  }
}

/** Decrypts every secret of a copy of a platform that nothing else uses, by giving it a new key. */
export async function decryptEverything(database: Database, config: UpConfig, logger: Logger): Promise<RotationReport> {
  const keys = new SettingsKeyFile(config.up.dataDir);
  await keys.add();
  const { signal } = new AbortController();
  return await rotate(database, { keys, instance: config.server.instance, onProgress: () => {}, signal, config, logger });
}

async function rotate(
  database: Database,
  { keys, instance, onProgress, signal, config, logger }: Rotation,
): Promise<RotationReport> {
  const clock = new SystemClock();
  const ofDrivers = migrationsOfDrivers(config.drivers);
  const ofServices = [...recordsMigrations, ...settingsMigrations, ...orchestrationMigrations, ...hooksMigrations];
  await database.migrate([...platformMigrations, ...ofDrivers, ...ofServices]);
  const audit = new SqlAuditLog({ database, clock });
  const deps = { database, audit, outbox: new SqlOutbox(), keys, clock, source: `/appserver/${instance}` };
  const report = await rotateSettingsKey(deps, { actor: "operator", onProgress, signal });
  const seal = createSecretSeal({ keys, clock });
  const identity = await openDriver(config.drivers.identity, {
    platformName: config.branding.name,
    sessionCookieName: config.auth.sessionCookieName,
    database: async () => database,
    seal,
    clock,
    logger,
  });
  const others = [
    await resealIdentities(database, seal),
    await resealTargets(database, seal),
    (await identity.resealSecrets?.()) ?? [],
  ];
  return { ...report, unreadable: [...report.unreadable, ...others.flat()] };
}
