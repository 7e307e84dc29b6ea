export type { SettingVariables } from "./container-settings.ts";
export {
  autoUpgradeKey,
  backupBeforeUpgradeKey,
  imageStageKey,
  isPlatformSetting,
  sleepAfterKey,
} from "./platform-setting-keys.ts";
export {
  type AutoUpgrade,
  autoUpgrades,
  defaultAutoUpgrade,
  defaultBackupBeforeUpgrade,
  defaultImageStage,
  effectiveDefinitions,
  type SleepTime,
  sleepTimeMs,
  sleepTimes,
} from "./platform-settings.ts";
export { settingProblems, settingVariable } from "./setting-definition.ts";
export type { SettingProblem, SettingProblemCode } from "./setting-value.ts";
export { settingVariableBytes } from "./setting-variable.ts";
