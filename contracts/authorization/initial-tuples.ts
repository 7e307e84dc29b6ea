import { administrators, scopeObject, type Tuple } from "./permissions.ts";

/** Every permission of the platform itself, with what it allows. Apps declare their own beside these. */
export const platformPermissions: Readonly<Record<string, string>> = {
  "app:view": "see registered and installed apps, their state and their history",
  "app:install": "install, upgrade, roll back, enable, disable and restart apps",
  "app:uninstall": "uninstall apps",
  "permission:approve": "approve the permissions that an app asks for",
  "settings:read": "read the settings of apps, secrets masked",
  "settings:read_secrets": "read the secret settings of apps in plain text",
  "settings:write": "change and delete the settings of apps",
  "hook:trigger": "trigger any hook",
  "hook:view": "see hooks, their deliveries and their dead letters",
  "activity:trigger": "start and schedule background activities",
  "activity:cancel": "cancel running activities",
  "activity:view": "see activities, their runs and their schedules",
  "audit:view": "read the audit log",
  "event:view": "read and follow system events",
  "metrics:view": "read metrics",
};

/**
 * What a new platform starts with (specification §5, authorization rule 6): the role `easy` is assigned to
 * `platform_role:admin`, and that may grant, and so holds, every permission of the platform.
 */
export const initialTuples: readonly Tuple[] = [
  { user: "role:easy#assignee", relation: "assignee", object: "platform_role:admin" },
  ...Object.keys(platformPermissions).map((permission) => ({
    user: administrators,
    relation: "can_grant",
    object: scopeObject(permission),
  })),
];
