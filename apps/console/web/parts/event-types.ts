import type { SystemEventType } from "../generated/operations.ts";
import { i18n } from "../i18n.ts";

const titles: Readonly<Record<SystemEventType, string>> = {
  APP_REGISTERED: i18n.t("App registered"),
  APP_INSTALLED: i18n.t("App installed"),
  APP_UNINSTALLED: i18n.t("App uninstalled"),
  APP_STATE_CHANGED: i18n.t("State changed"),
  APP_UPGRADE_STARTED: i18n.t("Upgrade started"),
  APP_UPGRADED: i18n.t("App upgraded"),
  APP_ROLLED_BACK: i18n.t("App rolled back"),
  APP_RECOVERED: i18n.t("App recovered"),
  APP_KEY_REPLACED: i18n.t("Key replaced"),
  APP_DELETED: i18n.t("App deleted"),
  DEPLOYMENT_STATE_CHANGED: i18n.t("Container changed"),
  SETTINGS_UPDATED: i18n.t("Settings changed"),
  HOOK_TRIGGERED: i18n.t("Hook triggered"),
  HOOK_DEAD_LETTERED: i18n.t("Hook not delivered"),
  ACTIVITY_EXECUTED: i18n.t("Activity executed"),
  ACTIVITY_FAILED: i18n.t("Activity failed"),
  CIRCUIT_OPENED: i18n.t("Circuit opened"),
  CIRCUIT_CLOSED: i18n.t("Circuit closed"),
  PERMISSION_APPROVED: i18n.t("Permission approved"),
  ACCESS_REQUESTED: i18n.t("Access requested"),
  ACCESS_DECIDED: i18n.t("Access decided"),
  BACKUP_COMPLETED: i18n.t("Backup completed"),
  BACKUP_FAILED: i18n.t("Backup failed"),
  INCIDENT_OPENED: i18n.t("Incident opened"),
  INCIDENT_CLOSED: i18n.t("Incident closed"),
};

export const eventTypes = Object.keys(titles) as readonly SystemEventType[];

export function eventTitle(type: SystemEventType): string {
  return titles[type];
}
