import type { SecretSeal } from "@appserver/contracts/settings";
import type { Database } from "@appserver/kernel/ports";
import { authorityPlace } from "./sql-certificate-authority.ts";
import { forwardSecretPlace } from "./sql-workload-identities.ts";

/**
 * Seals the secrets of identities and the key of the certificate authority again, with the newest key, while servers and
 * orchestrators run. A secret that is replaced during the call keeps its new value. Rejects if one cannot be opened.
 */
export async function resealIdentities(database: Database, seal: SecretSeal): Promise<void> {
  const reseal = async ({ owner, name }: { owner: string; name: string }, sealed: string): Promise<string> =>
    await seal.seal(owner, name, await seal.open(owner, name, sealed));
  const authority = await database.query<{ readonly sealed_key: string }>(
    "select sealed_key from orchestration.certificate_authority",
  );
  for (const { sealed_key: sealed } of authority.rows) {
    await database.query("update orchestration.certificate_authority set sealed_key = $2 where sealed_key = $1", [
      sealed,
      await reseal(authorityPlace, sealed),
    ]);
  }
  const identities = await database.query<{ app_id: string; generation: number; sealed_forward_secret: string }>(
    "select app_id, generation, sealed_forward_secret from orchestration.workload_identities",
  );
  for (const { app_id: appId, generation, sealed_forward_secret: sealed } of identities.rows) {
    await database.query(
      `update orchestration.workload_identities set sealed_forward_secret = $4
       where app_id = $1 and generation = $2 and sealed_forward_secret = $3`,
      [appId, generation, sealed, await reseal(forwardSecretPlace({ appId, generation }), sealed)],
    );
  }
}
