import { createHash } from "node:crypto";
import { isSameModel, type ModelDefinition } from "@appserver/driver";
import type { Database } from "@appserver/kernel/ports";
import type { AuthorizationModel } from "./authorization-model.ts";

export interface StoredModel {
  /** Begin of the SHA-256 of the definition. */
  readonly id: string;
  readonly definition: AuthorizationModel;
}

/** The model that the tuples of `authz.tuple` are read with. Rejects with the database port's DatabaseError. */
export class ModelStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<StoredModel | undefined> {
    const { rows } = await this.#database.query<StoredModel>("select id, definition from authz.model");
    return rows[0];
  }

  /** Returns the stored model, and whether it was written: an equal one stays. */
  async save(model: ModelDefinition): Promise<StoredModel & { readonly isWritten: boolean }> {
    const stored = await this.read();
    if (stored && isSameModel(stored.definition, model)) return { ...stored, isWritten: false };
    const text = JSON.stringify(model);
    const id = createHash("sha256").update(text).digest("hex").slice(0, 16);
    await this.#database.query(
      `insert into authz.model (id, definition) values ($1, $2::jsonb)
       on conflict (single) do update set id = excluded.id, definition = excluded.definition`,
      [id, text],
    );
    return { id, definition: model as AuthorizationModel, isWritten: true };
  }
}
