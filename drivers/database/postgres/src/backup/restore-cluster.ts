import { chmod, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { replaceFile } from "@appserver/kernel/files";
import { extract } from "tar";
import { type Account, giveTo } from "../embedded/account.ts";
import { EmbeddedPostgresError } from "../embedded/embedded-postgres-error.ts";
import { place } from "../embedded/placement.ts";
import { findBinaries } from "../embedded/postgres-binaries.ts";
import type { ClusterFacts } from "./cluster-facts.ts";

/** What an embedded server of this installation can open. Rejects with {@link EmbeddedPostgresError} if there is none. */
export async function embeddedFacts(): Promise<ClusterFacts> {
  return { major: Number((await findBinaries()).majorVersion), architecture: process.arch };
}

/** Writes the files of a server into a new folder, which another server of the same version and processor can use. */
export async function restoreFiles(folder: string, archive: AsyncIterable<Uint8Array>, account?: Account): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const owner = account === undefined ? {} : { ...account, preserveOwner: false };
  await pipeline(Readable.from(archive, { objectMode: false }), extract({ cwd: folder, strict: true, ...owner }));
  // Root keeps the owners of the archive, which does not have the folder itself.
  if (process.getuid?.() === 0) await giveTo(account ?? (await stat(join(folder, "PG_VERSION"))), folder);
}

/**
 * Makes the folder of an embedded server from the files of another one, with the password of that one. A folder called `data` is always
 * complete. Rejects if there is one.
 */
export async function restoreEmbedded(folder: string, archive: AsyncIterable<Uint8Array>, password: string): Promise<void> {
  const home = await place(folder);
  const unfinished = `${home.data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await restoreFiles(unfinished, archive, home.account);
  await replaceFile(home.passwordFile, password);
  await giveTo(home.account, home.passwordFile);
  await rename(unfinished, home.data).catch((error: NodeJS.ErrnoException) => {
    throw new EmbeddedPostgresError(`The data folder ${home.data} cannot be made from a backup: ${error.code}.`);
  });
}
