import { execFile } from "node:child_process";
import { access, constants, readdir } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { connected } from "../administrator-client.ts";
import type { PostgresConnection } from "../postgres-connection.ts";

/** The programs of PostgreSQL that write and read dumps, of one installation. */
export interface DumpClients {
  /** `18` */
  readonly major: number;
  /** Paths. */
  readonly dump: string;
  readonly restore: string;
}

const versionTimeoutMs = 10_000;
/** Where the packages of Debian and of the PostgreSQL project install each major version. */
const packages = "/usr/lib/postgresql";

/** Returns what is installed, the oldest first. `path`: the value of PATH. */
export async function findDumpClients(path: string | undefined, packagesFolder = packages): Promise<readonly DumpClients[]> {
  const majors = await readdir(packagesFolder).catch(() => []);
  // The packages' own programs come first: those in PATH may choose one of them.
  const folders = [
    ...majors.map((major) => join(packagesFolder, major, "bin")),
    ...(path ?? "").split(delimiter).filter((folder) => isAbsolute(folder)),
  ];
  const found: DumpClients[] = [];
  for (const folder of new Set(folders)) {
    const clients = { dump: join(folder, "pg_dump"), restore: join(folder, "pg_restore") };
    const major = await majorOf(clients);
    if (major !== undefined && !found.some((each) => each.major === major)) found.push({ major, ...clients });
  }
  return found.sort((a, b) => a.major - b.major);
}

/**
 * Returns the oldest clients that are not older than `major`: older ones refuse, and dumps of newer ones have what an older server does not
 * know. Undefined if there are none.
 */
export function fittingClients(found: readonly DumpClients[], major: number): DumpClients | undefined {
  return found.find((each) => each.major >= major);
}

/** Returns the major version of a server. Rejects with DatabaseError. */
export async function majorOfServer(connection: PostgresConnection): Promise<number> {
  return await connected(connection, async (client) => {
    const { rows } = await client.query<{ readonly server_version_num: string }>("show server_version_num");
    return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  });
}

/** Returns undefined unless both programs are there and of one version. */
async function majorOf({ dump, restore }: Omit<DumpClients, "major">): Promise<number | undefined> {
  const [first, second] = await Promise.all([dump, restore].map(versionOf));
  return first === second ? first : undefined;
}

async function versionOf(program: string): Promise<number | undefined> {
  try {
    await access(program, constants.X_OK);
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: versionTimeoutMs });
    const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout) ?? [];
    return major === undefined ? undefined : Number(major);
  } catch {
    return undefined;
  }
}
