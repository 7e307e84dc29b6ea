import type { AppKeys } from "../../ports.ts";

/**
 * A replica that cannot reach the database is not notified that an app was uninstalled, has another key, or that a deployment has
 * ended. It uses its memory for this time only, so that such a key is refused everywhere within 30 s.
 */
const trustMs = 25_000;

/** Returns keys from memory while it is recent. `find` rejects if they had to be read and could not be. */
export function trustedKeys(keys: AppKeys): Pick<AppKeys, "find"> {
  return {
    find: (appName) => (keys.ageMs() <= trustMs ? keys.find(appName) : keys.refresh(appName).then(() => keys.find(appName))),
  };
}
