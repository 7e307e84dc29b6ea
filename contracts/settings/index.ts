export type { SettingVariables } from "./container-settings.ts";
export {
  autoUpgradeKey,
  backupBeforeUpgradeKey,
  imageStageKey,
  isPlatformSetting,
  replicasKey,
  sleepAfterKey,
} from "./platform-setting-keys.ts";
export {
  type AutoUpgrade,
  autoUpgrades,
  defaultAutoUpgrade,
  defaultBackupBeforeUpgrade,
  defaultImageStage,
  defaultReplicas,
  effectiveDefinitions,
  type ReplicaLimit,
  replicaCounts,
  type SleepTime,
  sleepTimeMs,
  sleepTimes,
} from "./platform-settings.ts";
export { settingProblems, settingVariable } from "./setting-definition.ts";
export type { SettingProblem, SettingProblemCode } from "./setting-value.ts";
export { settingVariableBytes } from "./setting-variable.ts";
