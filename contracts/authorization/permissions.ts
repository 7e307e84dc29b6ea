import { appNameLimit, isAppName, nameGrammar } from "../names/app-name.ts";

/** A relationship tuple of OpenFGA: `user` has `relation` to `object`. */
export interface Tuple {
  /** `user:alice`, `app:com.example.notes`, `role:easy#assignee`, `user:*` */
  readonly user: string;
  readonly relation: string;
  /** `app:com.example.notes` */
  readonly object: string;
}

/** The userset that holds every scope of the platform and owns every app (docs/interface/permissions.md#roles). */
export const administrators = "platform_role:admin#assignee";

/** Maximum length of the resource and of the action, in characters. */
const maxLength = 63;
const permissionPattern = new RegExp(
  `^(?<resource>(?=[^:]{1,${maxLength}}:)${nameGrammar}):(?<action>(?=.{1,${maxLength}}$)${nameGrammar})$`,
);

/** The form that {@link parsePermission} accepts, for messages. */
export const permissionForm: string = `<resource>:<action>, each ${nameGrammar} with at most ${maxLength} characters`;

export interface Permission {
  readonly resource: string;
  readonly action: string;
}

/** Returns whether `text` is a permission. Manifests, routes, navigation and the model all use this grammar. */
export function isPermission(text: string): boolean {
  return permissionPattern.test(text);
}

/** Splits `<resource>:<action>` (docs/interface/permissions.md#permission-names). Throws RangeError with a message that names the expected form. */
export function parsePermission(permission: string): Permission {
  const groups = permissionPattern.exec(permission)?.groups;
  const { resource, action } = groups ?? {};
  if (resource === undefined || action === undefined)
    throw new RangeError(`"${permission}" is not a permission: expected ${permissionForm}, as in notes:read`);
  return { resource, action };
}

/**
 * Returns the object whose `holder`s have the permission: `permission_scope:<action>_<resource>` for a permission of the
 * platform, `permission_scope:<app>/<action>_<resource>` for a scope that the app declares. Throws RangeError if the
 * permission or the app name is malformed.
 *
 * Two permissions never share an object. `_` in the resource is written as `~`, which no word contains, so the last `_` is
 * always the separator. Otherwise `secrets_settings:read` and `settings:read_secrets` would have the same object.
 */
export function scopeObject(permission: string, app?: string): string {
  const { resource, action } = parsePermission(permission);
  const scope = `${action}_${resource.replaceAll("_", "~")}`;
  return app === undefined ? `permission_scope:${scope}` : `permission_scope:${checkedAppName(app)}/${scope}`;
}

/** A permission of the platform, or of the app that owns it. */
export interface OwnedScope {
  readonly permission: string;
  readonly appName: string | undefined;
}

/** Returns the permission whose `holder`s an object names, as {@link scopeObject} wrote it. Undefined for any other object. */
export function permissionOf(object: string): OwnedScope | undefined {
  const [, appName, action, resource] = /^permission_scope:(?:([^/]+)\/)?(.+)_([^_]+)$/.exec(object) ?? [];
  if (action === undefined || resource === undefined) return undefined;
  const permission = `${resource.replaceAll("~", "_")}:${action}`;
  if (!isPermission(permission) || (appName !== undefined && !isAppName(appName))) return undefined;
  return { permission, appName };
}

/** The relation that links an app to one of its scopes, so that the app's viewers, editors or owners hold the scope. */
export type HierarchyRelation = "viewer_app" | "editor_app" | "owner_app";

const viewerActions: ReadonlySet<string> = new Set(["read", "list", "view"]);
const editorActions: ReadonlySet<string> = new Set(["create", "update", "write"]);

/** Returns the level of owner > editor > viewer that an action requires. Unknown actions require an owner. */
export function hierarchyRelation(action: string): HierarchyRelation {
  if (viewerActions.has(action)) return "viewer_app";
  return editorActions.has(action) ? "editor_app" : "owner_app";
}

/**
 * Returns the tuples that an app's installation writes: administrators own the app, and each of its scopes is linked to the
 * level of the hierarchy that its action requires. Throws RangeError if the name or a scope is malformed.
 */
export function installationTuples(appName: string, scopes: readonly string[]): readonly Tuple[] {
  const app = `app:${checkedAppName(appName)}`;
  const links = [...new Set(scopes)].map((scope) => ({
    user: app,
    relation: hierarchyRelation(parsePermission(scope).action),
    object: scopeObject(scope, appName),
  }));
  return [{ user: administrators, relation: "owner", object: app }, ...links];
}

function checkedAppName(name: string): string {
  if (!isAppName(name))
    throw new RangeError(`"${name}" is not an app name: expected ${nameGrammar}, at most ${appNameLimit} characters`);
  return name;
}
