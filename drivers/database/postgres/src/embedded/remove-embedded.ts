import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes the folder of a server that has stopped, and its data if the server's account could not access the folder (see `place`). */
export async function removeEmbedded(folder: string): Promise<void> {
  const elsewhere = await readFile(join(folder, "location"), "utf8").catch(() => undefined);
  if (elsewhere) await rm(elsewhere.trim(), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}
