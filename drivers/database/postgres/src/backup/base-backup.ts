import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import pg from "pg";
import { clientConfig, type PostgresConnection } from "../postgres-connection.ts";
import { toDatabaseError } from "../postgres-errors.ts";

/** The connection of the library, as its queries get it. */
interface ProtocolConnection {
  readonly stream: { pause(): void; resume(): void; destroy(): void };
  query(text: string): void;
}

/** Of the messages in the response to BASE_BACKUP, from PostgreSQL 15 on. */
const messageTypes = { archive: 0x6e, data: 0x64, progress: 0x70 } as const;

/**
 * Yields a tar archive with the files of a server, and the write-ahead log with which a server on them starts by itself. The moment of
 * the copy is its end. The server keeps running. Nothing is written on any disk: it sends only as fast as the caller takes. The role
 * needs the right to replicate. Leaving the loop early ends the copy. Rejects with DatabaseError.
 */
export async function* baseBackup(connection: PostgresConnection): AsyncGenerator<Uint8Array> {
  const client = new pg.Client(replicationConfig(connection));
  // The running command reports a lost connection.
  client.on("error", () => {});
  try {
    await client.connect();
    await refuseTablespaces(client);
    // Until the end of this session no part of the log is removed that the copy needs.
    const slot = `appserver_backup_${randomBytes(6).toString("hex")}`;
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL true)`);
    const command = new BaseBackupCommand();
    client.query(command as unknown as pg.Submittable);
    yield* command.archive;
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    endNow(client);
  }
}

/** A command of replication has no time limit: the caller may take hours. */
function replicationConfig(connection: PostgresConnection): pg.ClientConfig {
  const { statement_timeout, query_timeout, idle_in_transaction_session_timeout, ...config } = clientConfig(connection, 0);
  // With a database's name, so that the session also takes SQL.
  return { ...config, replication: "database" } as pg.ClientConfig;
}

async function refuseTablespaces(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ names: string }>(
    "select string_agg(spcname, ', ') as names from pg_tablespace where spcname not in ('pg_default', 'pg_global')",
  );
  const [{ names } = { names: null }] = rows as readonly { readonly names: string | null }[];
  if (names !== null) throw new Error(`the server has tablespaces, which a backup cannot hold: ${names}`);
}

/** A copy that is not complete has no polite end: the server would send all of it. */
function endNow(client: pg.Client): void {
  (client as unknown as { readonly connection: ProtocolConnection }).connection.stream.destroy();
}

/** A query of the library. Its response is the stream `archive`. */
class BaseBackupCommand {
  readonly archive: Readable;
  #stream: ProtocolConnection["stream"] | undefined;

  constructor() {
    this.archive = new Readable({ highWaterMark: 4 << 20, read: () => this.#stream?.resume() });
  }

  submit(connection: ProtocolConnection): void {
    this.#stream = connection.stream;
    connection.query("BASE_BACKUP (LABEL 'appserver', CHECKPOINT 'fast', WAL true, MANIFEST 'no')");
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (chunk[0] !== messageTypes.data) return;
    // The library uses the memory of the message again.
    if (!this.archive.push(Buffer.from(chunk.subarray(1)))) this.#stream?.pause();
  }

  handleError(error: Error): void {
    this.archive.destroy(error);
  }

  handleReadyForQuery(): void {
    this.archive.push(null);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}
