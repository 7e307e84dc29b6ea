import { agentOf, type Caller } from "./caller.ts";
import { pipelineAllows } from "./pipeline-caller.ts";

/** A language model sends what it reads to others. */
const neverOfAgents = "settings:read_secrets";

/**
 * Returns whether the credential of a caller allows a permission of the platform, or of the app `owner`. Only tokens of service accounts
 * narrow what their account holds, and agents never read secrets.
 */
export function credentialAllows(caller: Caller, permission: string, owner?: string): boolean {
  if (agentOf(caller) && permission === neverOfAgents && owner === undefined) return false;
  if (caller.kind !== "machine") return true;
  if (caller.pipeline && !pipelineAllows(caller.pipeline, permission, owner)) return false;
  if (caller.scopes === undefined) return true;
  return caller.scopes.some(
    (scope) =>
      scope.appName === owner && (scope.permission === undefined ? owner !== undefined : scope.permission === permission),
  );
}

/** Returns whether the credential of a caller allows what an app lets every caller do. */
export function credentialReaches(caller: Caller, appName: string): boolean {
  if (caller.kind !== "machine") return true;
  if (caller.pipeline && !caller.pipeline.apps.includes(appName)) return false;
  if (caller.scopes === undefined) return true;
  return caller.scopes.some((scope) => scope.appName === appName);
}
