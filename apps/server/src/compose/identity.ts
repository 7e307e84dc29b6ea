import type { Identity } from "@appserver/driver";
import type { Lifecycle } from "@appserver/kernel";
import type { IdentityProvider } from "@appserver/kernel/ports";

/** Returns what browsers need of the provider at the HTTP listener. */
export function signInOptions({ signIn, selfService, provisioning, devLogin }: Identity, hasConsole: boolean) {
  return {
    hasSelfService: selfService !== undefined,
    hasProvisioning: provisioning !== undefined,
    ...(hasConsole && { signIn }),
    ...(devLogin && { devLogin }),
  };
}

/** Starts the provider. `lifecycle` stops it. */
export async function useIdentity(lifecycle: Lifecycle, { provider, selfService }: Identity): Promise<IdentityProvider> {
  if (selfService) await lifecycle.use(selfService);
  return await lifecycle.use(provider);
}
