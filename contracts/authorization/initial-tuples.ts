import { administrators, scopeObject, type Tuple } from "./permissions.ts";

/** Only apps hold it. The pages of such an app are not sandboxed and act as pages of the platform. */
export const originPermission = "page:origin";

/** Only apps hold it. The container of such an app may run as root. */
export const rootPermission = "container:root";

/** The names and addresses of people. An app that holds it also receives those of its callers. */
export const peoplePermission = "people:read";

/** Only apps use it: to send messages to people who may open their pages. */
export const notifyPermission = "people:notify";

/** Every permission of the platform itself and what it allows. Apps declare further permissions. */
export const platformPermissions: Readonly<Record<string, string>> = {
  "app:view": "see registered and installed apps, their state and their history",
  "app:register": "register apps and new versions of them, each with its own key",
  "app:replace_key": "pin another key to an app, also by a registration, and register apps without a signature",
  "app:install": "install, upgrade, roll back, enable, disable and restart apps",
  "app:uninstall": "uninstall apps",
  "app:delete": "delete the registrations of apps, with their names, keys and data",
  "app:backup": "take, restore and delete snapshots of the data of apps",
  "app:dev": "send one's own requests to an app to a backend on one's own machine",
  "app:logs": "read what the containers of apps print",
  "app:veto": "refuse or delay the installation of any app (hook app.on_create)",
  "permission:approve": "approve those permissions that an app requests and the approver holds",
  "settings:read": "read the settings of apps, secrets masked",
  "settings:read_secrets": "read the secret settings of apps in plain text",
  "settings:write": "change and delete the settings of apps",
  "hook:trigger": "trigger any hook",
  "hook:view": "see hooks, their deliveries and their dead letters",
  "activity:trigger": "start and schedule background activities",
  "activity:cancel": "cancel running activities",
  "activity:view": "see activities, their runs and their schedules",
  "access:view": "see who holds which permissions, and why",
  "access:manage": "give and take roles and permissions, and so every other permission",
  "audit:view": "read the audit log",
  "event:view": "read and follow system events",
  "notification:manage": "see, create, change and test receivers of events, and send their messages again",
  "backup:manage": "see backups of the platform, and start one",
  "trace:view":
    "list the requests of the last hour, and find them by their request id or trace id, with callers, routes and times",
  "metrics:view": "read metrics",
  "platform:view": "see the version of the platform and its options, secrets masked",
  [peoplePermission]: "for apps: know the names and e-mail addresses of people",
  [notifyPermission]: "for apps: send messages to people who may open their pages",
  [originPermission]: "for apps: pages run with the platform's origin and the visitor's session",
  [rootPermission]: "for apps: the container runs as root",
};

export function isPlatformPermission(permission: string): boolean {
  return Object.hasOwn(platformPermissions, permission);
}

/**
 * Returns the app that owns a permission which the app's manifest names without an owner (routes, navigation): the app itself,
 * or undefined if the platform owns it.
 */
export function scopeOwner(permission: string, appName: string): string | undefined {
  return isPlatformPermission(permission) ? undefined : appName;
}

/** Its assignees are the platform's administrators. */
export const administratorRole = "role:easy";

/**
 * Tuples of a new platform (docs/interface/permissions.md#roles): the role `easy` is assigned to `platform_role:admin`.
 * That platform role may grant every permission of the platform, and therefore holds each of them.
 */
export const initialTuples: readonly Tuple[] = [
  { user: `${administratorRole}#assignee`, relation: "assignee", object: "platform_role:admin" },
  ...Object.keys(platformPermissions).map((permission) => ({
    user: administrators,
    relation: "can_grant",
    object: scopeObject(permission),
  })),
];
