import { randomBytes } from "node:crypto";
import { singleFlight } from "@appserver/kernel";
import type { AccountsDatabase } from "../accounts-database.ts";

const purpose = "pending sign-ins";

/** Returns a function that reads the key with which all servers seal what browsers keep. The first server makes it. */
export function sealingKey(database: AccountsDatabase): () => Promise<Uint8Array> {
  let key: Uint8Array | undefined;
  const read = singleFlight(async () => {
    await database.query("insert into accounts.keys (purpose, key) values ($1, $2) on conflict do nothing", [
      purpose,
      randomBytes(32),
    ]);
    const { rows } = await database.query<{ key: Buffer }>("select key from accounts.keys where purpose = $1", [purpose]);
    key = rows[0]?.key;
    if (key === undefined) throw new Error("the key of pending sign-ins was deleted while it was read");
    return key;
  });
  return async () => key ?? (await read());
}
