import type { Clock } from "@appserver/kernel";
import type { SecretSeal } from "@appserver/kernel/ports";
import type { EncryptionKeys } from "@appserver/settings";

/** Returns the encryption of what drivers store. Its code is loaded at the first use: a start should not wait for it. */
export function secretSeal(keys: EncryptionKeys, clock: Clock): SecretSeal {
  let loaded: Promise<SecretSeal> | undefined;
  const load = (): Promise<SecretSeal> => {
    loaded ??= import("@appserver/settings").then(({ createSecretSeal }) => createSecretSeal({ keys, clock }));
    return loaded;
  };
  return {
    seal: async (...place) => (await load()).seal(...place),
    open: async (...place) => (await load()).open(...place),
  };
}
