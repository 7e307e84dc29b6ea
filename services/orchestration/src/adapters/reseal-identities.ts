import { messageOf } from "@appserver/kernel";
import type { Database, SecretSeal, UnreadableSecret } from "@appserver/kernel/ports";
import { authorityPlace } from "./sql-certificate-authority.ts";
import { forwardSecretPlace } from "./sql-workload-identities.ts";

/**
 * Seals the secrets of identities and the key of the certificate authority again, with the newest key, while servers and
 * orchestrators run. A secret that is replaced during the call keeps its new value. Returns those that cannot be opened: they do not
 * stop the others.
 */
export async function resealIdentities(database: Database, seal: SecretSeal): Promise<readonly UnreadableSecret[]> {
  const unreadable: UnreadableSecret[] = [];
  const reseal = async ({ owner, name }: { owner: string; name: string }, sealed: string): Promise<string | undefined> => {
    try {
      return await seal.seal(owner, name, await seal.open(owner, name, sealed));
    } catch (error) {
      unreadable.push({ owner, name, problem: messageOf(error) });
      return undefined;
    }
  };
  const authority = await database.query<{ readonly sealed_key: string }>(
    "select sealed_key from orchestration.certificate_authority",
  );
  for (const { sealed_key: sealed } of authority.rows) {
    const next = await reseal(authorityPlace, sealed);
    if (next !== undefined)
      await database.query("update orchestration.certificate_authority set sealed_key = $2 where sealed_key = $1", [
        sealed,
        next,
      ]);
  }
  const identities = await database.query<{ app_id: string; generation: number; sealed_forward_secret: string }>(
    "select app_id, generation, sealed_forward_secret from orchestration.workload_identities",
  );
  for (const { app_id: appId, generation, sealed_forward_secret: sealed } of identities.rows) {
    const next = await reseal(forwardSecretPlace({ appId, generation }), sealed);
    if (next === undefined) continue;
    await database.query(
      `update orchestration.workload_identities set sealed_forward_secret = $4
       where app_id = $1 and generation = $2 and sealed_forward_secret = $3`,
      [appId, generation, sealed, next],
    );
  }
  return unreadable;
}
