import { createSecretKey, type KeyObject } from "node:crypto";
import { type ForwardKeys, pushKey } from "@appserver/hooks";
import type { LiveApps } from "@appserver/marketplace";
import type { IssuedIdentities } from "@appserver/orchestration";

export interface ForwardKeysDeps {
  readonly apps: Pick<LiveApps, "get">;
  /** The secrets of deployments. */
  readonly identities: Pick<IssuedIdentities, "forwardKey">;
  /** The key that the push secrets of apps are derived from. */
  readonly platformKey: Uint8Array;
}

/**
 * Returns the secrets that the platform shares with backends: that of the deployment for a backend that the platform runs, the
 * push secret for any other (docs/interface/proxy.md#forward-signature).
 */
export function createForwardKeys({ apps, identities, platformKey }: ForwardKeysDeps): ForwardKeys {
  const pushKeys = new Map<string, KeyObject>();
  const pushKeyOf = (appName: string): KeyObject => {
    const known = pushKeys.get(appName) ?? createSecretKey(pushKey(platformKey, appName));
    pushKeys.set(appName, known);
    return known;
  };
  return {
    of: (appName) => {
      const live = apps.get(appName);
      if (!live) return "awaited";
      if (live.placement.api === "external") return pushKeyOf(appName);
      return identities.forwardKey(live.app.id, live.app.generation);
    },
  };
}
