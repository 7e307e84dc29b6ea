import { create } from "@bufbuild/protobuf";
import {
  SettingDataType,
  type SettingDefinition,
  SettingDefinitionSchema,
  ValidationRulesSchema,
} from "../generated/proto/appserver/v2/settings_pb.js";
import { imageStages } from "../names/image-reference.ts";
import {
  autoUpgradeKey,
  backupBeforeUpgradeKey,
  imageStageKey,
  isPlatformSetting,
  replicasKey,
  sleepAfterKey,
} from "./platform-setting-keys.ts";

/** Which newer versions the platform switches to as soon as they are registered. */
export const autoUpgrades = ["none", "patch", "minor"] as const;
export type AutoUpgrade = (typeof autoUpgrades)[number];

/** How long an app may be idle until it falls asleep. */
export const sleepTimes = ["never", "5m", "15m", "30m", "1h", "4h", "1d"] as const;
export type SleepTime = (typeof sleepTimes)[number];

/** In milliseconds. */
export const sleepTimeMs: Readonly<Record<Exclude<SleepTime, "never">, number>> = {
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
};

/** The numbers of instances that an app may run as, before the limits of the platform. */
export const replicaCounts: readonly number[] = Array.from({ length: 100 }, (_, index) => index + 1);

/** How many instances of an app the platform runs at most. */
export interface ReplicaLimit {
  readonly most: number;
  /** Why not more, as a part of a sentence: "an operator can raise containers.max_replicas". */
  readonly because: string;
}

/** Settings that every app has without declaring them. */
export const platformSettings: readonly SettingDefinition[] = [
  create(SettingDefinitionSchema, {
    key: imageStageKey,
    dataType: SettingDataType.STRING,
    description: "The image tag that the app's container is made from; taken up by its next deployment.",
    validation: create(ValidationRulesSchema, { enum: [...imageStages] }),
  }),
  create(SettingDefinitionSchema, {
    key: autoUpgradeKey,
    dataType: SettingDataType.STRING,
    description: "The newer versions that the platform switches to as soon as they are registered. Without a value: none.",
    validation: create(ValidationRulesSchema, { enum: [...autoUpgrades] }),
  }),
  create(SettingDefinitionSchema, {
    key: sleepAfterKey,
    dataType: SettingDataType.STRING,
    description:
      "How long the app may be idle until its container is stopped; a request, a hook or a run starts it. Without a value: as the operator configured.",
    validation: create(ValidationRulesSchema, { enum: [...sleepTimes] }),
  }),
  create(SettingDefinitionSchema, {
    key: backupBeforeUpgradeKey,
    dataType: SettingDataType.BOOL,
    description: "Whether a snapshot of the app's data is taken before each upgrade. Without it, the upgrade fails.",
  }),
  create(SettingDefinitionSchema, {
    key: replicasKey,
    dataType: SettingDataType.INT,
    description: "The number of instances that the app runs as, in place of the number in its manifest.",
    validation: create(ValidationRulesSchema, { min: 1, max: replicaCounts.length }),
  }),
];

/** Begins the description of the image stage of an app whose manifest names the image. */
const unusedStage = "Has no effect: the manifest of this version names the image by its digest. ";

/**
 * Returns the definitions that apply to an app: those it declares and those of the platform. An app that declares a platform
 * setting may set its description, default and variable, but cannot change the allowed values. With the digest of an image, the
 * description of the image stage says that the setting has no effect.
 */
export function effectiveDefinitions(
  declared: readonly SettingDefinition[],
  {
    imageDigest,
    replicaLimit,
  }: { readonly imageDigest?: string | undefined; readonly replicaLimit?: ReplicaLimit | undefined } = {},
): readonly SettingDefinition[] {
  const own = new Map(declared.map((definition) => [definition.key, definition]));
  const platform = platformSettings.map((definition) => {
    const { defaultValue, env, description } = own.get(definition.key) ?? {};
    const isUnused = imageDigest !== undefined && definition.key === imageStageKey;
    const limit = definition.key === replicasKey ? replicaLimit : undefined;
    return create(SettingDefinitionSchema, {
      ...definition,
      description: `${isUnused ? unusedStage : ""}${description || definition.description}${limit ? ` At most ${limit.most}: ${limit.because}.` : ""}`,
      ...(limit ? { validation: create(ValidationRulesSchema, { min: 1, max: limit.most }) } : {}),
      ...(defaultValue === undefined ? {} : { defaultValue }),
      ...(env === undefined ? {} : { env }),
    });
  });
  return [...declared.filter(({ key }) => !isPlatformSetting(key)), ...platform];
}

/** Returns the image stage that an app declares as the default of its setting, or undefined. */
export function defaultImageStage(declared: readonly SettingDefinition[]): string | undefined {
  return declaredDefault(declared, imageStageKey, imageStages);
}

/** Returns the automatic upgrades that an app declares as the default of its setting, or undefined. */
export function defaultAutoUpgrade(declared: readonly SettingDefinition[]): AutoUpgrade | undefined {
  return declaredDefault(declared, autoUpgradeKey, autoUpgrades);
}

/** Returns whether an app declares, as the default of its setting, that its data is copied before each upgrade. */
export function defaultBackupBeforeUpgrade(declared: readonly SettingDefinition[]): boolean {
  return declaredDefault(declared, backupBeforeUpgradeKey, [true, false]) ?? false;
}

/** Returns the number of instances that an app declares as the default of its setting, or undefined. */
export function defaultReplicas(declared: readonly SettingDefinition[]): number | undefined {
  return declaredDefault(declared, replicasKey, replicaCounts);
}

function declaredDefault<T extends string | boolean | number>(
  declared: readonly SettingDefinition[],
  settingKey: string,
  allowed: readonly T[],
): T | undefined {
  const text = declared.find(({ key }) => key === settingKey)?.defaultValue;
  return allowed.find((value) => JSON.stringify(value) === text?.trim());
}
