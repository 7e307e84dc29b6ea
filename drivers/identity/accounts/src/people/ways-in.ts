import type { SqlExecutor } from "@appserver/kernel/ports";
import { passkeyTable } from "../factors/passkey-table.ts";
import { identityTable } from "../oidc/identity-table.ts";
import { personTable } from "./person-table.ts";

export interface WayIn {
  /** Of the configured providers. */
  readonly providers: readonly string[];
  /** The host whose passkeys can be used. Undefined: none can. */
  readonly rpId: string | undefined;
  readonly without: { readonly provider: string } | { readonly passkey: string };
}

/** Returns whether a person can sign in without a provider or a passkey. Keeps the person until the transaction ends, so that two changes do not both count on the other way. */
export async function hasOtherWayIn(tx: SqlExecutor, personId: string, { providers, rpId, without }: WayIn): Promise<boolean> {
  await personTable.hold(tx, personId);
  const { hasPassword } = await personTable.profile(tx, personId);
  if (hasPassword) return true;
  const connected = await identityTable.providersOf(tx, personId);
  if (providers.some((id) => connected.has(id) && !("provider" in without && without.provider === id))) return true;
  const passkeys = await passkeyTable.list(tx, personId);
  return passkeys.some((each) => each.rpId === rpId && !("passkey" in without && without.passkey === each.credentialId));
}
