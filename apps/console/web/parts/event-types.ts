import type { SystemEventType } from "../generated/operations.ts";

const titles: Readonly<Record<SystemEventType, string>> = {
  APP_REGISTERED: "App registered",
  APP_INSTALLED: "App installed",
  APP_UNINSTALLED: "App uninstalled",
  APP_STATE_CHANGED: "State of an app",
  APP_UPGRADE_STARTED: "Upgrade started",
  APP_UPGRADED: "App upgraded",
  APP_ROLLED_BACK: "App rolled back",
  APP_RECOVERED: "App recovered",
  APP_KEY_REPLACED: "Key replaced",
  APP_DELETED: "App deleted",
  DEPLOYMENT_STATE_CHANGED: "State of a deployment",
  SETTINGS_UPDATED: "Settings changed",
  HOOK_TRIGGERED: "Hook triggered",
  HOOK_DEAD_LETTERED: "Hook not delivered",
  ACTIVITY_EXECUTED: "Activity executed",
  ACTIVITY_FAILED: "Activity failed",
  CIRCUIT_OPENED: "Circuit opened",
  CIRCUIT_CLOSED: "Circuit closed",
  PERMISSION_APPROVED: "Permission approved",
  ACCESS_REQUESTED: "Access requested",
  ACCESS_DECIDED: "Access decided",
  BACKUP_COMPLETED: "Backup completed",
  BACKUP_FAILED: "Backup failed",
  INCIDENT_OPENED: "Incident opened",
  INCIDENT_CLOSED: "Incident closed",
};

export const eventTypes = Object.keys(titles) as readonly SystemEventType[];

export function eventTitle(type: SystemEventType): string {
  return titles[type];
}
