import { imageStages } from "@appserver/contracts/names";
import {
  type AutoUpgrade,
  autoUpgradeKey,
  autoUpgrades,
  backupBeforeUpgradeKey,
  imageStageKey,
  replicaCounts,
  replicasKey,
  type SettingVariables,
  type SleepTime,
  sleepAfterKey,
  sleepTimes,
} from "@appserver/contracts/settings";
import { type Clock, type Initiator, type Permissions, platformCall } from "@appserver/kernel";
import type { AuditLog, Database, Outbox, SecretSeal } from "@appserver/kernel/ports";
import { type PlatformSetting, SqlPlatformSetting } from "./adapters/sql-platform-setting.ts";
import { loadSettings, SqlSettingsStore } from "./adapters/sql-settings-store.ts";
import { type ProblemOf, settingsResolvers } from "./api/graphql.ts";
import { settingsGrpc } from "./api/grpc.ts";
import { settingsHttp } from "./api/http.ts";
import type { SettingsCondition } from "./domain/settings-view.ts";
import type { Apps, EncryptionKeys, SettingsApp, SettingsNotifications } from "./ports.ts";
import { purgeSettings } from "./use-cases/delete-settings.ts";
import { faultyAmong } from "./use-cases/faulty-among.ts";
import { KeyedDigests } from "./use-cases/keyed-digests.ts";
import { prepareSettings } from "./use-cases/prepare-settings.ts";
import { readSettings } from "./use-cases/read-settings.ts";
import { readVariables } from "./use-cases/read-variables.ts";
import { type RotationOptions, type RotationReport, rotateKey } from "./use-cases/rotate-key.ts";
import { ValueVault } from "./use-cases/value-vault.ts";

export { settingsMigrations } from "../migrations/index.ts";
export type { PlatformSetting } from "./adapters/sql-platform-setting.ts";
export { decryptAesGcm } from "./domain/aes-gcm.ts";
export type { Apps, EncryptionKey, EncryptionKeys, SettingsApp, SettingsNotifications } from "./ports.ts";
export type { RotationReport } from "./use-cases/rotate-key.ts";

export interface SettingsDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  readonly permissions: Permissions;
  readonly apps: Apps;
  readonly notifications: SettingsNotifications;
  readonly keys: EncryptionKeys;
  /** Returns an error as the payload of a GraphQL mutation has it. */
  readonly problemOf: ProblemOf;
  readonly clock: Clock;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
}

/** A problem with an app's settings that a user should fix. */
export type AppCondition = SettingsCondition & { readonly since: Date };

/** The settings of apps (docs/interface/settings.md). Needs {@link settingsMigrations}. */
export interface SettingsService {
  /** Resolvers of the settings part of the GraphQL schema. */
  readonly resolvers: ReturnType<typeof settingsResolvers>;
  /** The methods of `appserver.v2.SettingsService`. */
  readonly grpc: ReturnType<typeof settingsGrpc>;
  /** The routes of the settings part of REST v2. */
  readonly http: ReturnType<typeof settingsHttp>;
  /** Runs the settings part of onCreate, and of every change to another version. Idempotent. */
  prepare(app: SettingsApp): Promise<void>;
  /** Returns the problems with an app's stored settings, and their start times. */
  conditions(appId: string): Promise<readonly AppCondition[]>;
  /** Returns the ids of those apps for which {@link conditions} returns a problem, in few statements. */
  faultyAmong(apps: readonly SettingsApp[]): Promise<readonly string[]>;
  /** Returns the keys of an app's settings that have a stored value. */
  storedKeys(appId: string): Promise<readonly string[]>;
  /** Deletes the remaining data of an app that is uninstalled with `purge_data`. Idempotent. */
  purge(appId: string, by: Initiator): Promise<void>;
}

export function createSettings(deps: SettingsDeps): SettingsService {
  const { clock, apps, notifications } = deps;
  const context = {
    apps,
    notifications,
    store: new SqlSettingsStore(deps),
    vault: new ValueVault(deps.keys, clock),
    permissions: deps.permissions,
    clock,
  };
  return {
    resolvers: settingsResolvers(context, deps.problemOf),
    http: settingsHttp(context),
    grpc: settingsGrpc(context),
    prepare: (app) => prepareSettings(context, app),
    conditions: async (appId) => (await readSettings(context, appId, platformCall("conditions"))).conditions,
    faultyAmong: (candidates) => faultyAmong(context, candidates),
    storedKeys: async (appId) => (await context.store.load(appId)).values.map(({ key }) => key),
    purge: (appId, by) => purgeSettings(context, appId, by),
  };
}

/** The image tags that the settings of apps select (docs/interface/containers.md#image). */
export type ImageStages = PlatformSetting;

/** Returns the part of the settings that the orchestrator's process reads. */
export function createImageStages(database: Database): ImageStages {
  return new SqlPlatformSetting<string>(database, imageStageKey, imageStages);
}

/** Returns the setting that says how many instances of an app run. */
export function createReplicaCounts(database: Database): PlatformSetting<number> {
  return new SqlPlatformSetting(database, replicasKey, replicaCounts);
}

/** Returns what the orchestrator's process needs to put settings into environments. */
export function createSettingVariables({
  database,
  keys,
  clock,
}: Pick<SettingsDeps, "database" | "keys" | "clock">): SettingVariables {
  const context = { store: { load: (appId: string) => loadSettings(database, appId) }, vault: new ValueVault(keys, clock) };
  return { read: (appId, definitions) => readVariables(context, appId, definitions) };
}

/** Returns digests of the configurations of containers, which contain secrets. */
export function createConfigurationDigests(keys: EncryptionKeys): KeyedDigests {
  return new KeyedDigests(keys, "container configuration");
}

/** Returns the setting by which the platform upgrades apps. */
export function createAutoUpgrades(database: Database): PlatformSetting<AutoUpgrade> {
  return new SqlPlatformSetting(database, autoUpgradeKey, autoUpgrades);
}

/** Returns the setting that says when apps fall asleep. */
export function createSleepTimes(database: Database): PlatformSetting<SleepTime> {
  return new SqlPlatformSetting(database, sleepAfterKey, sleepTimes);
}

/** Returns the setting by which the data of apps is copied before upgrades. */
export function createBackupsBeforeUpgrades(database: Database): PlatformSetting<boolean> {
  return new SqlPlatformSetting(database, backupBeforeUpgradeKey, [true, false]);
}

/** Returns the encryption of secrets of other parts of the platform. */
export function createSecretSeal({ keys, clock }: Pick<SettingsDeps, "keys" | "clock">): SecretSeal {
  const vault = new ValueVault(keys, clock);
  return {
    seal: (owner, name, text) => vault.seal(owner, name, text),
    open: async (owner, name, sealed) => {
      const [value] = await vault.decode(owner, [{ key: name, text: sealed, sealed: true, updatedAt: new Date(0) }]);
      if (!value || value.unreadable !== undefined) throw new Error(value?.unreadable ?? "nothing was decoded");
      if (typeof value.value !== "string") throw new Error(`the sealed value of ${name} is not a text`);
      return value.value;
    },
  };
}

/** Implements `appserver settings rotate-key`: encrypts everything with the newest key, while servers read and write. */
export function rotateSettingsKey(
  deps: Pick<SettingsDeps, "database" | "outbox" | "audit" | "keys" | "clock" | "source">,
  options: RotationOptions,
): Promise<RotationReport> {
  return rotateKey({ store: new SqlSettingsStore(deps), vault: new ValueVault(deps.keys, deps.clock) }, options);
}
