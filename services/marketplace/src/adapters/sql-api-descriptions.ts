import type { ApiDescription } from "@appserver/contracts/api-description";
import { column, columns } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { DescriptionReading, DescriptionStatus } from "../domain/api-description/description-reading.ts";
import type { ApiDescriptions, ReleaseRef } from "../ports.ts";

const statuses = columns<DescriptionStatus>({
  readAt: column,
  digest: { name: "document_digest" },
  operations: column,
  problem: column,
});

/** Stores descriptions in PostgreSQL, schema `marketplace`. */
export class SqlApiDescriptions implements ApiDescriptions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save({ appId, manifestDigest }: ReleaseRef, { readAt, result }: DescriptionReading): Promise<void> {
    const release = [appId, manifestDigest, readAt];
    if ("problem" in result) {
      await this.#database.query(
        `insert into marketplace.api_descriptions (app_id, digest, read_at, problem)
         select app_id, digest, $3, $4 from marketplace.manifests where app_id = $1 and digest = $2
         on conflict (app_id, digest) do update set read_at = excluded.read_at, problem = excluded.problem`,
        [...release, result.problem],
      );
      return;
    }
    await this.#database.query(
      `insert into marketplace.api_descriptions (app_id, digest, read_at, document_digest, operations, description)
       select app_id, digest, $3, $4, $5, $6 from marketplace.manifests where app_id = $1 and digest = $2
       on conflict (app_id, digest) do update set read_at = excluded.read_at, document_digest = excluded.document_digest,
         operations = excluded.operations, description = excluded.description, problem = null`,
      [...release, result.digest, result.operations.length, JSON.stringify(result)],
    );
  }

  async find({ appId, manifestDigest }: ReleaseRef): Promise<ApiDescription | undefined> {
    const { rows } = await this.#database.query<{ readonly description: ApiDescription | null }>(
      "select description from marketplace.api_descriptions where app_id = $1 and digest = $2",
      [appId, manifestDigest],
    );
    return rows[0]?.description ?? undefined;
  }

  async status({ appId, manifestDigest }: ReleaseRef): Promise<DescriptionStatus | undefined> {
    const { rows } = await this.#database.query<object>(
      `select ${statuses.selected} from marketplace.api_descriptions where app_id = $1 and digest = $2`,
      [appId, manifestDigest],
    );
    return rows[0] && statuses.record(rows[0]);
  }

  async failed(): Promise<readonly ReleaseRef[]> {
    const { rows } = await this.#database.query<ReleaseRef>(
      `select app_id as "appId", digest as "manifestDigest" from marketplace.api_descriptions where problem is not null`,
    );
    return rows;
  }
}
