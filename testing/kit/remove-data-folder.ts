import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes a data folder whose database is in `postgres` below it. Where the folder is out of reach of the account that the
 * database runs as, its data went elsewhere; it goes too.
 */
export async function removeDataFolder(folder: string): Promise<void> {
  const elsewhere = await readFile(join(folder, "postgres", "location"), "utf8").catch(() => undefined);
  if (elsewhere) await rm(elsewhere.trim(), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}
