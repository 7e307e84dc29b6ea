/** The setting that overrides the orchestrator's image tag for one app (docs/interface/settings.md#platform-settings). */
export const imageStageKey = "docker.image.stage";

/** The setting that lets the platform upgrade an app by itself (docs/interface/settings.md#platform-settings). */
export const autoUpgradeKey = "app.auto_upgrade";

/** The setting that says when one app falls asleep (docs/interface/settings.md#platform-settings). */
export const sleepAfterKey = "app.sleep_after";

/** The setting that has the data of an app copied before each upgrade (docs/interface/settings.md#platform-settings). */
export const backupBeforeUpgradeKey = "backup.before_upgrade";

/** The setting that says how many instances of an app run (docs/interface/settings.md#platform-settings). */
export const replicasKey = "containers.replicas";

const platformKeys: ReadonlySet<string> = new Set([
  imageStageKey,
  autoUpgradeKey,
  sleepAfterKey,
  backupBeforeUpgradeKey,
  replicasKey,
]);

/** Returns whether a key is a setting of the platform about an app, which the app itself may not change. */
export function isPlatformSetting(key: string): boolean {
  return platformKeys.has(key);
}
