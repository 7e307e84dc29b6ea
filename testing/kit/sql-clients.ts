import type { PostgresConnection } from "@appserver/database-postgres";
import pg from "pg";

/** Clients of one server, as the apps themselves connect. */
export interface SqlClients {
  /** The caller ends it. */
  connect(login: Partial<PostgresConnection>): Promise<pg.Client>;
  /** Returns the rows of the last statement. */
  run(login: Partial<PostgresConnection>, ...statements: readonly string[]): Promise<readonly Record<string, unknown>[]>;
}

/** `connection`: what a login leaves out. */
export function sqlClients(connection: () => PostgresConnection): SqlClients {
  const connect = async (login: Partial<PostgresConnection>): Promise<pg.Client> => {
    const client = new pg.Client({ ...connection(), ...login });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  return {
    connect,
    run: async (login, ...statements) => {
      const client = await connect(login);
      try {
        let rows: readonly Record<string, unknown>[] = [];
        for (const statement of statements) rows = (await client.query(statement)).rows;
        return rows;
      } finally {
        await client.end();
      }
    },
  };
}
