import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes a data folder with its databases in `postgres` and `postgres-apps`. If the databases' account cannot reach the folder,
 * their data is in other folders, which are removed, too.
 */
export async function removeDataFolder(folder: string): Promise<void> {
  for (const server of ["postgres", "postgres-apps"]) {
    const elsewhere = await readFile(join(folder, server, "location"), "utf8").catch(() => undefined);
    if (elsewhere) await rm(elsewhere.trim(), { recursive: true, force: true });
  }
  await rm(folder, { recursive: true, force: true });
}
