import type { AppKeys } from "@appserver/access";
import { type LiveApps, mayAuthenticate } from "@appserver/marketplace";
import { toAppKey } from "./app-forms.ts";

/**
 * A replica that cannot reach the database is not notified that an app was uninstalled or has another key. It uses its memory
 * for this time only, so that such an app is refused everywhere within 30 s.
 */
const trustMs = 25_000;

/** Returns the public keys of the apps whose signatures are accepted. */
export function appKeys(apps: LiveApps): AppKeys {
  const keys = apps.view(mayAuthenticate, toAppKey);
  return {
    find: (name) => (apps.ageMs() <= trustMs ? keys.get(name) : apps.current(name).then(() => keys.get(name))),
  };
}
