import type { AppKey, AppKeys } from "@appserver/access";
import { isPromise } from "@appserver/kernel";
import { type LiveApps, mayAuthenticate } from "@appserver/marketplace";
import type { IssuedIdentities } from "@appserver/orchestration";
import { toAppKey } from "./app-forms.ts";

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
  return {
    find: (name) => {
      const found = keys.get(name);
      return isPromise(found) ? found.then(withDeployments) : withDeployments(found);
    },
    ageMs: () => Math.max(apps.ageMs(), identities.ageMs()),
    refresh: async (name) => void (await Promise.all([apps.current(name), identities.refresh()])),
  };
}
