import { AppError, isAppError, parseEntityTags, type RestCall, type RestReply } from "@appserver/kernel";
import type { SettingsView } from "../../use-cases/context.ts";
import { settingsReply } from "./settings-reply.ts";

/** No settings have it. Then the change still checks the caller's permissions. */
const noVersion = -1;

/** Further tags of one `If-Match` are ignored. */
const maxVersions = 5;

/**
 * Returns the settings after a change of a version that `If-Match` names, or of any version without it. A tag names a version, not bytes,
 * so that a weak one counts as well: proxies that compress make every tag weak.
 */
export async function onVersion(
  call: RestCall,
  change: (expectedVersion: number | undefined) => Promise<SettingsView>,
): Promise<RestReply> {
  const versions = versionsOf(call.header("if-match"));
  if (versions === undefined) return settingsReply(await change(undefined));
  let failure: unknown;
  for (const version of versions.length > 0 ? versions : [noVersion]) {
    try {
      return settingsReply(await change(version));
    } catch (error) {
      if (!isAppError(error, "CONFLICT")) throw error;
      failure = error;
    }
  }
  // RFC 9110 §13.1.1: a failed precondition has its own status.
  return { status: 412, error: versions.length > 0 && isAppError(failure) ? failure : unknownTag() };
}

/** Returns the versions of this service's entity tags in the field. Undefined if there is no condition. */
function versionsOf(ifMatch: string | undefined): readonly number[] | undefined {
  const tags = ifMatch === undefined ? "any" : parseEntityTags(ifMatch);
  if (tags === "any") return undefined;
  const versions = tags.flatMap(({ opaque }) => {
    // Some proxies that compress add a suffix: `-gzip`, `;br`.
    const [, version] = /^(\d{1,9})\.[0-9a-f]{12}(?:[-;][a-z-]+)?$/.exec(opaque) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
  return [...new Set(versions)].slice(0, maxVersions);
}

function unknownTag(): AppError {
  return new AppError("CONFLICT", "If-Match names no version of these settings; expected the ETag of a response with them");
}
