import { isAppError, type RestCall, type RestReply } from "@appserver/kernel";
import type { SettingsView } from "../../use-cases/context.ts";
import { settingsReply } from "./settings-reply.ts";

/** Returns the settings after a change of the version that `If-Match` names, or of any version without it. */
export async function onVersion(
  call: RestCall,
  change: (expectedVersion: number | undefined) => Promise<SettingsView>,
): Promise<RestReply> {
  const expectedVersion = versionOf(call.header("if-match"));
  try {
    return settingsReply(await change(expectedVersion));
  } catch (error) {
    // RFC 9110 §13.1.1: a failed precondition has its own status.
    if (expectedVersion !== undefined && isAppError(error, "CONFLICT")) return { status: 412, error };
    throw error;
  }
}

/**
 * Returns the version from one of this service's entity tags. Returns -1, which matches no version, for any other tag. Returns
 * undefined if there is no condition.
 */
function versionOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  const [, version] = /^"(\d{1,9})\.[0-9a-f]{12}"$/.exec(ifMatch.trim()) ?? [];
  return version === undefined ? -1 : Number(version);
}
