import { messageOf } from "@appserver/kernel";
import type { Database, SecretSeal, UnreadableSecret } from "@appserver/kernel/ports";
import { targetSecretPlace } from "./target-secret-place.ts";

/**
 * Seals the secrets of notification targets again, with the newest key, while servers run. A secret that is replaced during the call
 * keeps its new value. Returns those that cannot be opened.
 */
export async function resealTargets(database: Pick<Database, "query">, seal: SecretSeal): Promise<readonly UnreadableSecret[]> {
  const unreadable: UnreadableSecret[] = [];
  const { rows } = await database.query<{ id: string; sealed_secret: string }>(
    "select id, sealed_secret from hooks.targets where sealed_secret is not null",
  );
  for (const { id, sealed_secret: sealed } of rows) {
    const { owner, name } = targetSecretPlace(id);
    try {
      const next = await seal.seal(owner, name, await seal.open(owner, name, sealed));
      await database.query("update hooks.targets set sealed_secret = $3 where id = $1 and sealed_secret = $2", [
        id,
        sealed,
        next,
      ]);
    } catch (error) {
      unreadable.push({ owner, name, problem: messageOf(error) });
    }
  }
  return unreadable;
}
