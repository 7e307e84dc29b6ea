import { advisoryLocks, DatabaseHome, StartError } from "@appserver/kernel";
import type { Migration } from "@appserver/kernel/ports";
import { appliedNames, applyIn } from "../migrate.ts";
import type { MoveSession } from "./move-session.ts";
import { type DatabaseContent, readContent } from "./platform-tables.ts";

const oldestVersion = 150_000;

interface TargetFacts {
  readonly version: number;
  readonly encoding: string;
  readonly may_create: boolean;
}

/** Throws StartError for a server that is too old, a database that is not in UTF8, or a role without the rights. */
export async function requireUsable(target: MoveSession): Promise<void> {
  const { rows } = await target.query<TargetFacts>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
            has_database_privilege(current_database(), 'create') as may_create`,
  );
  const { version = 0, encoding = "", may_create: mayCreate = false } = rows[0] ?? {};
  if (version < oldestVersion)
    throw new StartError(`${target.name} is on PostgreSQL ${Math.floor(version / 10_000)}: expected 15 or newer`);
  if (encoding !== "UTF8") throw new StartError(`${target.name} has the encoding ${encoding}: expected UTF8`);
  if (!mayCreate)
    throw new StartError(
      `the role of the target may not create schemas in ${target.name}: expected its owner, or the right CREATE`,
    );
}

/**
 * Creates the platform's tables, and returns what was created. The session is in a transaction. The target must be empty of platform tables,
 * unless they are a copy that no process has used, or what this source was moved from by `lastMove`.
 */
export async function prepareTarget(
  target: MoveSession,
  migrations: readonly Migration[],
  lastMove: string | undefined,
): Promise<DatabaseContent> {
  // A process that is starting on the target has applied its migrations before, or waits for the end of this transaction.
  await target.query("select pg_advisory_xact_lock($1)", [advisoryLocks.migrations]);
  await dropCopy(target, lastMove);
  const before = await readContent(target);
  // That of a process which applies its migrations.
  await target.query("set local search_path to default");
  for (const migration of migrations) await applyIn(target, migration);
  await target.query("set local search_path to pg_catalog");
  const created = await readContent(target, before);
  const taken = [...created.tables.values()].find(({ schema }) => before.schemas.has(schema) && schema !== "public");
  if (taken)
    throw new StartError(
      `${target.name} has a schema ${taken.schema} already, which the platform needs: expected an empty database`,
    );
  return created;
}

async function dropCopy(target: MoveSession, lastMove: string | undefined): Promise<void> {
  if ((await appliedNames(target)).size === 0) return;
  const home = await new DatabaseHome(target).read();
  const isReplaceable = home?.state === "arriving" || (home?.state === "left" && home.move === lastMove);
  if (!isReplaceable) throw new StartError(`${target.name} has tables of a platform already: expected an empty database`);
  for (const schema of home.schemas ?? []) await target.query(`drop schema ${schema} cascade`);
}
