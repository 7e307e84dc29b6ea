import pg from "pg";

/** Returns the logins of all generations. Another app's name may begin with the name of this database. */
export async function loginsOf(client: pg.Client, database: string): Promise<readonly string[]> {
  const prefix = `${database}_g`;
  const { rows } = await client.query<{ readonly rolname: string }>(
    "select rolname from pg_roles where starts_with(rolname, $1)",
    [prefix],
  );
  return rows.map(({ rolname }) => rolname).filter((login) => /^\d+$/.test(login.slice(prefix.length)));
}

/** Ends the sessions of a login and allows no others. */
export async function endLogin(client: pg.Client, login: string): Promise<void> {
  if (!(await exists(client, "pg_roles", login))) return;
  // First, because such a session may have changed its role and not committed.
  await endSessions(client, login);
  await client.query(`alter role ${name(login)} nologin`);
  await endSessions(client, login);
}

/** Ends all of them at once, then waits for each. */
export async function endSessions(client: pg.Client, login: string): Promise<void> {
  for (const waitMs of [0, 2_000])
    await client.query(
      `select pg_terminate_backend(pid, ${waitMs}) from pg_stat_activity
       where usename = $1`,
      [login],
    );
}

/** Returns whether a role or a database of the name exists. */
export async function exists(client: pg.Client, catalogue: "pg_roles" | "pg_database", wanted: string): Promise<boolean> {
  const column = catalogue === "pg_roles" ? "rolname" : "datname";
  return (await client.query(`select from ${catalogue} where ${column} = $1`, [wanted])).rowCount === 1;
}

/** After an error the connection must be closed, which rolls back. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  const result = await work();
  await client.query("commit");
  return result;
}

/** Quotes a name for a statement. */
export function name(text: string): string {
  return pg.escapeIdentifier(text);
}
