import { appBoundsOf, boundsAllow } from "./app-bounds.ts";
import { agentOf, type Caller } from "./caller.ts";

/** A language model sends what it reads to others. */
const neverOfAgents = "settings:read_secrets";

/**
 * Returns whether the credential of a caller allows a permission of the platform, or of the app `owner`. Tokens of service accounts
 * and agents narrow what their account holds, and agents never read secrets.
 */
export function credentialAllows(caller: Caller, permission: string, owner?: string): boolean {
  if (agentOf(caller) && permission === neverOfAgents && owner === undefined) return false;
  const bounds = appBoundsOf(caller);
  if (bounds && !boundsAllow(bounds, permission, owner)) return false;
  if (caller.kind !== "machine" || caller.scopes === undefined) return true;
  return caller.scopes.some(
    (scope) =>
      scope.appName === owner && (scope.permission === undefined ? owner !== undefined : scope.permission === permission),
  );
}

/** Returns whether the credential of a caller allows what an app lets every caller do. */
export function credentialReaches(caller: Caller, appName: string): boolean {
  const bounds = appBoundsOf(caller);
  if (bounds && !bounds.apps.includes(appName)) return false;
  if (caller.kind !== "machine" || caller.scopes === undefined) return true;
  return caller.scopes.some((scope) => scope.appName === appName);
}
