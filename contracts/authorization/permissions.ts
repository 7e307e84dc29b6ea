/** A relationship tuple: `user` has `relation` to `object`. Structurally the platform port's `Tuple`. */
export interface Tuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
}

/** Who holds every scope of the platform, and owns every app (specification §5, authorization rule 6). */
export const administrators = "platform_role:admin#assignee";

const word = "[a-z0-9]+(?:[._-][a-z0-9]+)*";
const maxLength = 63;
const permissionPattern = new RegExp(
  `^(?<resource>(?=[^:]{1,${maxLength}}:)${word}):(?<action>(?=.{1,${maxLength}}$)${word})$`,
);
const appNamePattern = new RegExp(`^(?=.{1,${maxLength}}$)${word}$`);

/** What {@link parsePermission} accepts, for messages. */
export const permissionForm: string = `<resource>:<action>, each ${word.replaceAll("?:", "")} with at most ${maxLength} characters`;

export interface Permission {
  readonly resource: string;
  readonly action: string;
}

/** Whether `text` is a permission: the only grammar of them, for manifests, routes, navigation and the model. */
export function isPermission(text: string): boolean {
  return permissionPattern.test(text);
}

/** Splits `<resource>:<action>` (specification §5). Throws RangeError, saying what was expected. */
export function parsePermission(permission: string): Permission {
  const groups = permissionPattern.exec(permission)?.groups;
  const { resource, action } = groups ?? {};
  if (resource === undefined || action === undefined)
    throw new RangeError(`"${permission}" is not a permission: expected ${permissionForm}, as in notes:read`);
  return { resource, action };
}

/**
 * The object whose `holder`s have the permission: `permission_scope:<action>_<resource>` for a permission of the
 * platform, `permission_scope:<app>/<action>_<resource>` for a scope of the app's own. Throws RangeError for a
 * malformed permission or app name.
 *
 * Two permissions never have one object: `_` in the resource is written as `~`, which no word holds, so that the last `_`
 * is always the separator. Otherwise `secrets_settings:read` would be `settings:read_secrets`.
 */
export function scopeObject(permission: string, app?: string): string {
  const { resource, action } = parsePermission(permission);
  return objectOf(`${action}_${resource.replaceAll("_", "~")}`, app);
}

/**
 * The object that releases before this one gave to the permission, where it was another: `undefined` for most. What is
 * stored under it must be moved, because other permissions have that object too.
 */
export function earlierScopeObject(permission: string, app?: string): string | undefined {
  const { resource, action } = parsePermission(permission);
  return resource.includes("_") ? objectOf(`${action}_${resource}`, app) : undefined;
}

function objectOf(scope: string, app: string | undefined): string {
  return app === undefined ? `permission_scope:${scope}` : `permission_scope:${checkedAppName(app)}/${scope}`;
}

/** The relation that links an app to a scope of its own, so that the app's viewers, editors or owners hold it. */
export type HierarchyRelation = "viewer_app" | "editor_app" | "owner_app";

const viewerActions: ReadonlySet<string> = new Set(["read", "list", "view"]);
const editorActions: ReadonlySet<string> = new Set(["create", "update", "write"]);

/** Which level of owner > editor > viewer an action asks for. What is not known to be harmless needs an owner. */
export function hierarchyRelation(action: string): HierarchyRelation {
  if (viewerActions.has(action)) return "viewer_app";
  return editorActions.has(action) ? "editor_app" : "owner_app";
}

/**
 * The tuples that an app's installation writes: administrators own the app, and each of its scopes is linked to the
 * level of the hierarchy that its action asks for. Throws RangeError for a malformed name or scope.
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
  if (!appNamePattern.test(name)) {
    throw new RangeError(
      `"${name}" is not an app name: expected ${word.replaceAll("?:", "")}, at most ${maxLength} characters`,
    );
  }
  return name;
}
