import { createSecretKey, type KeyObject } from "node:crypto";
import { pushKey } from "@appserver/contracts/webhooks";
import type { ForwardKeys } from "@appserver/hooks";
import { oncePerObject } from "@appserver/kernel";
import type { DocumentKeys, LiveApp, LiveApps } from "@appserver/marketplace";
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
  const pushKeyOf = oncePerObject(({ app }: LiveApp) => pushKeyFor(platformKey, app.name));
  return {
    of: (appName) => {
      const live = apps.get(appName);
      if (!live) return "awaited";
      if (live.placement.api === "external") return pushKeyOf(live);
      return identities.forwardKey(live.app.id, live.app.generation);
    },
  };
}

export interface DocumentKeysDeps extends Pick<ForwardKeysDeps, "platformKey"> {
  readonly identities: Pick<IssuedIdentities, "forwardKey" | "refresh">;
}

/** Returns the same secrets for requests for documents, also to a deployment that does not serve yet. */
export function createDocumentKeys({ identities, platformKey }: DocumentKeysDeps): DocumentKeys {
  return {
    of: async ({ id, name, generation }, managed) => {
      if (!managed) return pushKeyFor(platformKey, name);
      const known = identities.forwardKey(id, generation);
      if (known !== "awaited") return known;
      await identities.refresh();
      return identities.forwardKey(id, generation);
    },
  };
}

function pushKeyFor(platformKey: Uint8Array, appName: string): KeyObject {
  return createSecretKey(pushKey(platformKey, appName));
}
