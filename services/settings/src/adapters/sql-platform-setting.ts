import type { Database } from "@appserver/kernel/ports";

/** The stored values of one setting that every app has (docs/interface/settings.md#platform-settings). */
export interface PlatformSetting<T extends string | boolean | number = string> {
  /** Returns the values by app id. Apps without one are omitted. */
  all(): Promise<ReadonlyMap<string, T>>;
  find(appId: string): Promise<T | undefined>;
}

/** Reads one setting that the platform itself uses. It needs no keys and no manifests. */
export class SqlPlatformSetting<T extends string | boolean | number> implements PlatformSetting<T> {
  readonly #database: Database;
  readonly #key: string;
  /** The allowed values by their JSON. An invalid value that was written directly to the database is ignored. */
  readonly #allowed: ReadonlyMap<string, T>;

  constructor(database: Database, key: string, allowed: readonly T[]) {
    this.#database = database;
    this.#key = key;
    this.#allowed = new Map(allowed.map((value) => [JSON.stringify(value), value]));
  }

  all(): Promise<ReadonlyMap<string, T>> {
    return this.#read(null);
  }

  async find(appId: string): Promise<T | undefined> {
    return (await this.#read(appId)).get(appId);
  }

  async #read(appId: string | null): Promise<ReadonlyMap<string, T>> {
    const { rows } = await this.#database.query<{ app_id: string; value: string }>(
      "select app_id, value from settings.values where key = $1 and not sealed and ($2::uuid is null or app_id = $2)",
      [this.#key, appId],
    );
    const values = new Map<string, T>();
    for (const { app_id, value } of rows) {
      const allowed = this.#allowed.get(value);
      if (allowed !== undefined) values.set(app_id, allowed);
    }
    return values;
  }
}
