import { connected } from "../administrator-client.ts";
import type { PostgresConnection } from "../postgres-connection.ts";

/** What decides whether the files of a server can be used by another one. */
export interface ClusterFacts {
  /** `18` */
  readonly major: number;
  /** The processor, in the words of Node (`x64`) if Node has one. */
  readonly architecture: string;
}

const architectures: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

/** Reads the facts of a server. Rejects with DatabaseError. */
export async function clusterFacts(connection: PostgresConnection): Promise<ClusterFacts> {
  return await connected(connection, async (client) => {
    const { rows } = await client.query<{ version: string; about: string }>(
      "select current_setting('server_version_num') as version, version() as about",
    );
    const [{ version, about } = { version: "0", about: "" }] = rows;
    const [, processor = "unknown"] = / on ([^-\s,]+)/.exec(about) ?? [];
    return { major: Math.floor(Number(version) / 10_000), architecture: architectures[processor] ?? processor };
  });
}
