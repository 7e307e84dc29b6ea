export type { SecretSeal, SettingVariables } from "./container-settings.ts";
export { autoUpgradeKey, imageStageKey, isPlatformSetting } from "./platform-setting-keys.ts";
export {
  type AutoUpgrade,
  autoUpgrades,
  defaultAutoUpgrade,
  defaultImageStage,
  effectiveDefinitions,
} from "./platform-settings.ts";
export { type SettingProblem, type SettingProblemCode, settingProblems } from "./setting-value.ts";
export { settingVariable, settingVariableBytes } from "./setting-variable.ts";
