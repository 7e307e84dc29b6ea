import type { AppKey, AppKeys } from "@appserver/access";
import { type LiveApps, mayAuthenticate } from "@appserver/marketplace";
import type { IssuedIdentities } from "@appserver/orchestration";
import { toAppKey } from "./app-forms.ts";

/**
 * A replica that cannot reach the database is not notified that an app was uninstalled, has another key, or that a deployment has
 * ended. It uses its memory for this time only, so that such a key is refused everywhere within 30 s.
 */
const trustMs = 25_000;

/** Returns the public keys of the apps whose signatures are accepted: those of their certificates and of their deployments. */
export function appKeys(apps: LiveApps, identities: Pick<IssuedIdentities, "ofApp" | "ageMs" | "refresh">): AppKeys {
  const keys = apps.view(mayAuthenticate, toAppKey);
  const withDeployments = (app: AppKey | undefined): AppKey | undefined => {
    const issued = app && identities.ofApp(app.id);
    if (!issued || issued.length === 0) return app;
    const workloadKeys = issued.map(({ publicKey, certificateEndsAt }) => ({
      key: publicKey,
      validTo: certificateEndsAt.getTime(),
    }));
    return { ...app, workloadKeys };
  };
  const readAgain = async (name: string): Promise<AppKey | undefined> => {
    await Promise.all([apps.current(name), identities.refresh()]);
    return withDeployments(await keys.get(name));
  };
  return {
    find: (name) => {
      if (Math.max(apps.ageMs(), identities.ageMs()) > trustMs) return readAgain(name);
      const found = keys.get(name);
      return found instanceof Promise ? found.then(withDeployments) : withDeployments(found);
    },
  };
}
