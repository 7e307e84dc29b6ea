import { rm } from "node:fs/promises";
import { join } from "node:path";
import { removeEmbedded } from "@appserver/database-postgres";

/** Removes a data folder with its databases in `postgres` and `postgres-apps`, wherever these have their data. */
export async function removeDataFolder(folder: string): Promise<void> {
  for (const server of ["postgres", "postgres-apps"]) await removeEmbedded(join(folder, server));
  await rm(folder, { recursive: true, force: true });
}
