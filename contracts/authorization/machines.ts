import { isAppName } from "../names/app-name.ts";
import { isPlatformPermission } from "./initial-tuples.ts";
import { isPermission, type OwnedScope } from "./permissions.ts";

/** Its holders give and take every other permission. Service accounts never hold it. */
export const managePermission = "access:manage";

/** What service accounts hold only by a tuple of their own, never through a role or a group. */
const byNameOnly = "permission:approve";

/**
 * Returns whether the authorization model's decision about a permission counts for a service account (docs/interface/permissions.md#service-accounts).
 * `by name`: only if a tuple gives it to the account itself.
 */
export function machineHolds({ permission, appName }: OwnedScope): "as others" | "by name" | "never" {
  if (appName !== undefined) return "as others";
  if (permission === managePermission) return "never";
  return permission === byNameOnly ? "by name" : "as others";
}

/** The form that {@link parseTokenScope} accepts, for messages. */
export const tokenScopeForm: string =
  "a permission of the platform (app:install) or of an app (<app>/notes:read), or <app>/* for all of an app";

/** A part of what a token allows: one permission of the platform or of an app, or all permissions of an app. */
export interface ParsedTokenScope {
  readonly permission?: string;
  readonly appName?: string;
}

/** Returns the meaning of a scope of a token. Undefined if it has none. */
export function parseTokenScope(text: string): ParsedTokenScope | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return isPlatformPermission(text) ? { permission: text } : undefined;
  const [appName, permission] = [text.slice(0, slash), text.slice(slash + 1)];
  if (!isAppName(appName)) return undefined;
  if (permission === "*") return { appName };
  return isPermission(permission) ? { appName, permission } : undefined;
}
