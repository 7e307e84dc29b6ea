import type { GlobalOptions } from "../../global-options.ts";
import { registrationHint, sessionHint } from "../../registration-refusal.ts";
import { readViewer, type Viewer, viewerText } from "../../viewer.ts";

export interface NeededPermissions {
  readonly registrationToken?: string | undefined;
  /** Whether to approve the permissions that the app requests. */
  readonly approves: boolean;
}

/** Rejects with the permissions that the caller lacks for a deployment. */
export async function requireDeployPermissions(options: GlobalOptions, needed: NeededPermissions): Promise<void> {
  const missing = missingPermissions(await readViewer(options), needed);
  if (missing !== undefined) throw new Error(`${missing} Nothing was built`);
}

/** Returns sentences that name what is missing. Undefined if nothing is. */
export function missingPermissions(viewer: Viewer, { registrationToken, approves }: NeededPermissions): string | undefined {
  if (viewer.kind === "system") return undefined;
  if (viewer.kind === "anonymous") return `deploy needs the session of a user: ${sessionHint}.`;
  const needsToken = !viewer.mayRegister && registrationToken === undefined;
  const missing = ["app:view", "app:install", ...(approves ? ["permission:approve"] : [])].filter(
    (each) => !viewer.permissions.includes(each),
  );
  if (needsToken) missing.unshift("app:register");
  if (missing.length === 0) return undefined;
  const instead = needsToken ? ` Instead of app:register, ${registrationHint}.` : "";
  return `${viewerText(viewer)} lacks ${missing.join(", ")}, which deploy needs. An administrator gives it.${instead}`;
}
