import { StartError } from "@appserver/kernel";
import pg from "pg";
import { clientConfig, type PostgresConnection } from "./postgres-connection.ts";
import { toDatabaseError } from "./postgres-errors.ts";

/** For statements that copy or delete a whole database, and for the wait for another orchestrator. */
export const administrationTimeoutMs = 60_000;

/** Runs `work` on a connection of its own. Rejects with StartError or DatabaseError. */
export async function connected<T>(connection: PostgresConnection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  let client: pg.Client | undefined;
  try {
    client = await openClient(connection);
    return await work(client);
  } catch (error) {
    throw error instanceof StartError ? error : toDatabaseError(error);
  } finally {
    await client?.end().catch(() => {});
  }
}

/** Opens a connection that the caller ends. */
export async function openClient(connection: PostgresConnection): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(connection, administrationTimeoutMs));
  // A connection that is lost between two statements makes the next one fail.
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
