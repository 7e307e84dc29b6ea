import { imageStages } from "@appserver/contracts/names";
import { imageStageKey } from "@appserver/contracts/settings";
import type { Database } from "@appserver/kernel/ports";

/** The image tags that the settings of apps select (docs/interface/containers.md#image). */
export interface ImageStages {
  /** Returns the stages by app id. Apps without one are left out. */
  all(): Promise<ReadonlyMap<string, string>>;
  find(appId: string): Promise<string | undefined>;
}

/** Reads the one setting that the orchestrator needs. It needs no keys and no manifests. */
export class SqlImageStages implements ImageStages {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): Promise<ReadonlyMap<string, string>> {
    return this.#read(null);
  }

  async find(appId: string): Promise<string | undefined> {
    return (await this.#read(appId)).get(appId);
  }

  async #read(appId: string | null): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#database.query<{ app_id: string; value: string }>(
      "select app_id, value from settings.values where key = $1 and not sealed and ($2::uuid is null or app_id = $2)",
      [imageStageKey, appId],
    );
    // A value that was written directly to the database must not choose the image.
    const known = new Map(imageStages.map((stage) => [JSON.stringify(stage), stage]));
    return new Map(rows.flatMap(({ app_id, value }) => (known.has(value) ? [[app_id, known.get(value) ?? ""] as const] : [])));
  }
}
