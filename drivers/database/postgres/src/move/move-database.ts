import {
  AppError,
  advisoryLocks,
  DatabaseHome,
  type DatabaseMove,
  runningServers,
  StartError,
  uuidv7,
} from "@appserver/kernel";
import { DatabaseError, type Migration } from "@appserver/kernel/ports";
import { appliedNames } from "../migrate.ts";
import { applicationName, type PostgresConnection } from "../postgres-connection.ts";
import { copyTables } from "./copy-tables.ts";
import { lockTimeoutSeconds, type MoveSession, nameOf, openMoveSession } from "./move-session.ts";
import { type DatabaseContent, type PlatformTable, readContent } from "./platform-tables.ts";
import { prepareTarget, requireUsable } from "./target.ts";

export interface DatabaseMoveOptions {
  readonly source: PostgresConnection;
  readonly target: PostgresConnection;
  /** All that this version and its drivers know. Those that the source has are applied to the target. */
  readonly migrations: readonly Migration[];
  /** Called after each table. */
  readonly onTable: (name: string, rows: number) => void;
}

export interface MovedDatabase {
  /** `finished`: an earlier call had copied everything. `unchanged`: it had also ended. */
  readonly outcome: "moved" | "finished" | "unchanged";
  readonly source: string;
  readonly target: string;
  readonly tables: number;
  readonly rows: number;
  /** Tables of the source that are not the platform's. */
  readonly notCopied: readonly string[];
}

/** Its row differs between the two databases. */
const homeTable = "platform.database_home";

/**
 * Copies all tables of the platform to an empty database in one snapshot and one transaction, compares them, and makes that database
 * the platform's. No process of the platform may run. The source is left as it is, and refuses processes and writes from then on.
 * If the process is killed, the source is as before or the target is complete; a second call finishes the move. Throws StartError
 * or AppError.
 */
export async function moveDatabase(options: DatabaseMoveOptions): Promise<MovedDatabase> {
  const [from, to] = [nameOf(options.source), nameOf(options.target)];
  if (from === to) throw new StartError(`the platform is in ${to} already: expected another database`);
  const source = await opened(options.source);
  try {
    const target = await opened(options.target);
    try {
      return await move({ ...options, source, target });
    } finally {
      await target.close();
    }
  } catch (error) {
    throw explained(error);
  } finally {
    await source.close();
  }
}

/** Makes a database that was left the platform's again. What was written to the other one since then stays there. */
export async function undoMove(connection: PostgresConnection): Promise<{ readonly database: string; readonly peer: string }> {
  const session = await opened(connection);
  try {
    await lockForMove(session);
    const home = new DatabaseHome(session);
    const found = await home.read();
    if (found?.state !== "left")
      throw new StartError(`${session.name} was not moved to another database: expected the configuration of the former one`);
    await session.query("begin");
    await home.undo();
    await session.query("commit");
    return { database: session.name, peer: found.peer ?? "" };
  } catch (error) {
    throw explained(error);
  } finally {
    await session.close();
  }
}

interface Move extends Omit<DatabaseMoveOptions, "source" | "target"> {
  readonly source: MoveSession;
  readonly target: MoveSession;
}

async function move(options: Move): Promise<MovedDatabase> {
  const { source, target } = options;
  await requireUsable(target);
  await lockForMove(source);
  await lockForMove(target);
  const earlier = await finishEarlier(options);
  if (earlier) return { outcome: earlier, source: source.name, target: target.name, tables: 0, rows: 0, notCopied: [] };
  const migrations = await appliedMigrations(options);
  await refuseRunning(source);
  const { move: lastMove } = (await new DatabaseHome(source).read()) ?? {};
  await target.query("begin");
  const content = await prepareTarget(target, migrations, lastMove ?? undefined);
  const found = await readContent(source);
  const tables = requireSameTables(source, content, found);
  const rows = await copyLocked(options, tables, content);
  const isCopied = (name: string): boolean => content.tables.has(name);
  const notCopied = [...found.tables.keys()].filter((name) => !isCopied(name));
  return { outcome: "moved", source: source.name, target: target.name, tables: tables.length, rows, notCopied };
}

/**
 * The three commits: the copy, which no process may use yet; the source, which no process may use any more; the copy, which is the
 * platform's from then on.
 */
async function copyLocked(
  { source, target, onTable }: Move,
  tables: readonly PlatformTable[],
  { schemas, sequences }: DatabaseContent,
): Promise<number> {
  await lockTables(source, tables);
  const rows = await copyTables({ source, target, tables, sequences, onTable });
  const moved: Omit<DatabaseMove, "peer"> = { move: uuidv7(), schemas: [...schemas] };
  const [left, home] = [source, target].map((each) => new DatabaseHome(each)) as [DatabaseHome, DatabaseHome];
  await home.arrive({ ...moved, peer: source.name });
  await target.query("commit");
  const names = tables.map(({ name }) => name);
  await left.leave({ ...moved, peer: target.name }, names);
  await source.query("commit");
  await home.release();
  return rows;
}

/**
 * Readers continue. A process that could not be seen, because it is suspended or disconnected, cannot write until the move has ended, and
 * is refused afterwards. The transaction has its snapshot after the locks.
 */
async function lockTables(source: MoveSession, tables: readonly PlatformTable[]): Promise<void> {
  await source.query("begin isolation level repeatable read");
  const names = [homeTable, ...tables.map(({ name }) => name)];
  try {
    await source.query(`lock table ${names.join(", ")} in exclusive mode`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.reason !== "timeout") throw error;
    throw new StartError(`another session writes to ${source.name}: expected none, and a repeated move`, { cause: error });
  }
}

/** Returns undefined unless the source was moved to this target before. */
async function finishEarlier({ source, target }: Move): Promise<"finished" | "unchanged" | undefined> {
  const [left, home] = await Promise.all([source, target].map((each) => new DatabaseHome(each).read()));
  const isEarlier = left?.state === "left" && left.move === home?.move && home?.state !== "left";
  if (!isEarlier) {
    await new DatabaseHome(source).require();
    return undefined;
  }
  if (home?.state === "home") return "unchanged";
  await new DatabaseHome(target).release();
  return "finished";
}

/** Of two moves with the same database, and of one from a database to itself, the second lock is not taken. */
async function lockForMove(session: MoveSession): Promise<void> {
  try {
    // A process that starts holds it for a moment.
    await session.query("set lock_timeout = '2s'");
    await session.query("select pg_advisory_lock($1)", [advisoryLocks.databaseMove]);
    await session.query(`set lock_timeout = '${lockTimeoutSeconds}s'`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.reason !== "timeout") throw error;
    throw new AppError("CONFLICT", `another move uses ${session.name}, or both addresses lead to it: expected two databases`, {
      cause: error,
    });
  }
}

/** Returns the migrations of the source, in the order in which they can be applied. */
async function appliedMigrations({ source, migrations }: Move): Promise<readonly Migration[]> {
  const applied = await appliedNames(source);
  const known = migrations.filter(({ name }) => applied.has(name));
  const unknown = [...applied].filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0)
    throw new StartError(
      `${source.name} has tables that this version and its drivers do not know (${unknown.join(", ")}): expected the version and the configuration of the platform that runs on it`,
    );
  if ((await new DatabaseHome(source).read()) === undefined)
    throw new StartError(
      `${source.name} has no tables of this version of the platform: expected its database, after \`appserver migrate\``,
    );
  return known;
}

async function refuseRunning(source: MoveSession): Promise<void> {
  const { rows } = await source.query<{ address: string; count: number }>(
    `select coalesce(host(client_addr), 'a socket') as address, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = $1 group by 1 order by 1`,
    [applicationName],
  );
  const connections = rows.map(
    ({ address, count }) => `${count} ${count === 1 ? "connection" : "connections"} from ${address}`,
  );
  const running = [...(await runningServers(source)).map((name) => `the server ${name}`), ...connections];
  if (running.length === 0) return;
  throw new StartError(
    `the platform runs on ${source.name} (${running.join(", ")}): stop all servers, orchestrators and commands; one that was killed counts for six seconds`,
  );
}

/** Returns the tables to copy. */
function requireSameTables(source: MoveSession, content: DatabaseContent, found: DatabaseContent): readonly PlatformTable[] {
  const surplus = [...found.tables.values()].find(
    ({ name, schema }) => content.schemas.has(schema) && !content.tables.has(name),
  );
  const tables = [...content.tables.values()].filter(({ name }) => name !== homeTable);
  const isSame = ({ name, columns }: PlatformTable): boolean =>
    JSON.stringify(found.tables.get(name)?.columns) === JSON.stringify(columns);
  const differing = surplus ?? tables.find((table) => !isSame(table));
  if (differing === undefined) return tables;
  throw new StartError(
    `the table ${differing.name} of ${source.name} differs from what the platform's migrations make: expected a database that only they have changed`,
  );
}

async function opened(connection: PostgresConnection): Promise<MoveSession> {
  return await openMoveSession(connection).catch((error: unknown) => {
    throw explained(error);
  });
}

/** An error of a server is for the operator, and its message names the database. */
function explained(error: unknown): unknown {
  return error instanceof DatabaseError ? new StartError(error.message, { cause: error }) : error;
}
