import { database } from "@appserver/sdk/database";
import { createTestDatabase, databaseVariables, startTestPostgres } from "@appserver/testing/kit";
import { NoteStore } from "./note-store.ts";
import { migrations } from "./run-notes.ts";

/** A real server with an empty database, for one test or suite. */
export interface NotesDatabase {
  /** The environment of an app with this database. */
  readonly variables: Readonly<Record<string, string>>;
  /** Connects as another process of the app would. {@link stop} closes it. */
  open(): Promise<NoteStore>;
  query(sql: string): Promise<readonly object[]>;
  stop(): Promise<void>;
}

export async function startNotesDatabase(): Promise<NotesDatabase> {
  const server = await startTestPostgres();
  const room = await createTestDatabase(server);
  const variables = databaseVariables(room);
  const stores: NoteStore[] = [];
  return {
    variables,
    open: async () => {
      const store = new NoteStore(await database({ migrations, environment: variables }));
      stores.push(store);
      return store;
    },
    query: async (sql) => (await room.database.query(sql)).rows,
    stop: async () => {
      for (const store of stores) await store.close();
      await room.stop();
      await server.stop();
    },
  };
}
