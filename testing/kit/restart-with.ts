import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { until } from "./eventually.ts";
import type { TestPostgres } from "./postgres.ts";

/** Starts a server again with a setting. Resolves when it has started. */
export async function restartWith({ connection }: TestPostgres, setting: string, value: number): Promise<void> {
  const ask = async (statement: string): Promise<string> => {
    const client = new pg.Client({ ...connection });
    client.on("error", () => {});
    try {
      await client.connect();
      return String(Object.values((await client.query(statement)).rows[0] ?? {})[0]);
    } finally {
      await client.end().catch(() => {});
    }
  };
  await ask(`alter system set ${setting} = ${value}`);
  const folder = await ask("show data_directory");
  // The embedded server starts it again.
  process.kill(Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]), "SIGINT");
  await until("the server has started again", async () => (await ask(`show ${setting}`)) === String(value));
}
