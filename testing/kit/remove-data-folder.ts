import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes a data folder with its database in `postgres`. If the database's account cannot reach the folder, its data is in
 * another folder, which is removed, too.
 */
export async function removeDataFolder(folder: string): Promise<void> {
  const elsewhere = await readFile(join(folder, "postgres", "location"), "utf8").catch(() => undefined);
  if (elsewhere) await rm(elsewhere.trim(), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}
