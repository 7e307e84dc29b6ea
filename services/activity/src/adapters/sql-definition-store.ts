import type { Database } from "@appserver/kernel/ports";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import type { DeclaredSchedules, DefinitionStore } from "../ports.ts";
import { channels, notify } from "./channels.ts";
import { saveDeclaredSchedules } from "./save-declared-schedules.ts";

/** Stores definitions in PostgreSQL. */
export class SqlDefinitionStore implements DefinitionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async ofApp(appName: string): Promise<readonly ActivityDefinition[]> {
    const { rows } = await this.#database.query<{ definition: Partial<ActivityDefinition> & ActivityDefinition }>(
      'select definition from activity.definitions where app_name = $1 order by name collate "C"',
      [appName],
    );
    return rows.map(({ definition }) => definition);
  }

  async save(definitions: readonly ActivityDefinition[], { appName, activities, schedules }: DeclaredSchedules): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await tx.query(
        `insert into activity.definitions (app_name, name, definition, updated_at)
         select $1, definition->>'name', definition, now() from unnest($2::jsonb[]) as definition
         on conflict (app_name, name) do update set definition = excluded.definition, updated_at = now()`,
        [appName, definitions.map((definition) => JSON.stringify(definition))],
      );
      await tx.query(
        "delete from activity.schedules where app_name = $1 and declared and activity = any ($2) and activity <> all ($3)",
        [appName, activities, schedules.map(({ activity }) => activity)],
      );
      await saveDeclaredSchedules(tx, appName, schedules);
      await notify(tx, channels.definitions, [appName]);
    });
  }

  async deleteAll(appName: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await tx.query("delete from activity.definitions where app_name = $1", [appName]);
      await notify(tx, channels.definitions, [appName]);
    });
  }
}
