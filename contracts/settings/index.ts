export type { SecretSeal, SettingVariables } from "./container-settings.ts";
export {
  type AutoUpgrade,
  autoUpgradeKey,
  autoUpgrades,
  defaultAutoUpgrade,
  defaultImageStage,
  effectiveDefinitions,
  imageStageKey,
  isPlatformSetting,
} from "./platform-settings.ts";
export { type SettingProblem, type SettingProblemCode, settingProblems } from "./setting-value.ts";
export { settingVariable, settingVariableBytes } from "./setting-variable.ts";
