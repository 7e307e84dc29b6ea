import { randomBytes } from "node:crypto";
import { access, mkdir, readFile, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createFile } from "@appserver/kernel/files";
import { type Account, canUse, chooseAccount, giveTo } from "./account.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { copyBinaries, findBinaries, linkLibraries, type PostgresBinaries } from "./postgres-binaries.ts";

/** The folders and the account of one embedded server. */
export interface Placement {
  readonly account: Account | undefined;
  /** `<npm package>/native`, or a copy of it. */
  readonly binaries: string;
  readonly majorVersion: string;
  /** Contains all other folders. */
  readonly home: string;
  readonly data: string;
  readonly passwordFile: string;
  readonly portFile: string;
  readonly ownerFile: string;
  readonly logFile: string;
  /** Who may connect from where, in the form of `pg_hba.conf`. */
  readonly accessFile: string;
}

/** Accessible for every account, and kept over restarts of the machine. */
const sharedPlace = "/var/lib/appserver";

/**
 * Decides where data and programs are stored. `folder` is used if the account can access it. The server's account of root often
 * cannot (a checkout under /root, mode 0700): then both are stored in /var/lib/appserver, and the file `location` in `folder`
 * records where, so that the data is still found after a later change of modes.
 */
export async function place(folder: string): Promise<Placement> {
  const found = await findBinaries();
  const home = await placeHome(resolve(folder));
  const account = await chooseAccount(join(home, "data"));
  const data = join(home, "data");
  return {
    account,
    binaries: await placeBinaries(found, account, home),
    majorVersion: found.majorVersion,
    home,
    data,
    passwordFile: join(home, "password"),
    portFile: join(home, "port"),
    ownerFile: join(home, "owner"),
    logFile: join(home, "postgres.log"),
    accessFile: join(home, "pg_hba.conf"),
  };
}

async function placeHome(folder: string): Promise<string> {
  await makeFolder(folder);
  const location = join(folder, "location");
  const remembered = await readFile(location, "utf8").catch(() => undefined);
  if (remembered) return remembered.trim();
  const account = await chooseAccount(join(folder, "data"));
  await giveTo(account, folder);
  if (await canUse(account, { write: folder })) return folder;
  if (!account) throw new EmbeddedPostgresError(`The data folder ${folder} is not writable for this user: choose another one.`);
  // Not named after the folder: a new folder with an old name must not find the old data.
  const home = join(sharedPlace, randomBytes(8).toString("hex"));
  await makeFolder(home);
  await giveTo(account, home);
  if (await createFile(location, `${home}\n`)) return home;
  // Another process started in the same folder and came first.
  await rmdir(home);
  return (await readFile(location, "utf8")).trim();
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await access(folder);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data folder ${folder} cannot be used (${(error as NodeJS.ErrnoException).code}): choose another one.`,
    );
  }
}

async function placeBinaries(found: PostgresBinaries, account: Account | undefined, home: string): Promise<string> {
  const linked = await linkLibraries(found.folder).then(
    () => true,
    // Installed by another account, read-only: our own copy gets the links.
    () => false,
  );
  if (linked && (await canUse(account, { run: join(found.folder, "bin", "postgres") }))) return found.folder;
  const copy = await copyBinaries(found, account ? sharedPlace : home);
  if (await canUse(account, { run: join(copy, "bin", "postgres") })) return copy;
  throw new EmbeddedPostgresError(
    `PostgreSQL in ${copy} does not run on this machine: see "${join(copy, "bin", "postgres")} --version", or configure an external database.`,
  );
}
