import { messageOf, StartError } from "@appserver/kernel";
import type pg from "pg";
import { connected } from "./administrator-client.ts";
import { isSameServer, mayLimitFiles, requireRights, sharedServerRefusal } from "./app-database-server.ts";
import type { PostgresAppDatabasesOptions } from "./postgres-app-databases.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** What is wrong with the server of the apps' databases, in sentences with the way out. */
export interface AppServerInspection {
  /** Reasons for which `PostgresAppDatabases.start` rejects. */
  readonly refusals: readonly string[];
  /** What weakens the limits of apps. */
  readonly warnings: readonly string[];
}

/** Inspects the server of the apps' databases, and changes nothing. A server that cannot be reached is a warning. */
export async function inspectAppServer(
  options: Pick<PostgresAppDatabasesOptions, "administrator" | "platform" | "sharedServer">,
): Promise<AppServerInspection> {
  const { administrator, platform, sharedServer } = options;
  const refusal = { refusals: [sharedServerRefusal().message], warnings: [] };
  // The same address needs no connection.
  if (!sharedServer && administrator.host === platform.host && administrator.port === platform.port) return refusal;
  try {
    return await connected(administrator, async (apps) => {
      if (!sharedServer && (await connected(platform, (own) => isSameServer(own, apps)))) return refusal;
      await requireRights(apps);
      return { refusals: [], warnings: await warningsOf(apps, administrator) };
    });
  } catch (error) {
    if (error instanceof StartError) return { refusals: [error.message], warnings: [] };
    return { refusals: [], warnings: [`The server of the apps' databases could not be checked: ${messageOf(error)}.`] };
  }
}

async function warningsOf(apps: pg.Client, { user }: PostgresConnection): Promise<readonly string[]> {
  const warnings: string[] = [];
  if (!(await mayLimitFiles(apps)))
    warnings.push(
      `The role ${user} may not limit the temporary files of apps, so that a query of an app can fill the disk. On the server of the ` +
        `apps' databases, run as a superuser: grant set on parameter temp_file_limit to ${apps.escapeIdentifier(user)};`,
    );
  const { rows } = await apps.query<{ readonly count: number }>(
    "select current_setting('max_prepared_transactions')::int as count",
  );
  const count = rows[0]?.count ?? 0;
  if (count > 0)
    warnings.push(
      `max_prepared_transactions of the server of the apps' databases is ${count}, so that an app can keep locks without a session. ` +
        "Set it to 0.",
    );
  return warnings;
}
