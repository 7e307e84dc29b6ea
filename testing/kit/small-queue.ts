import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { until } from "./eventually.ts";
import type { TestPostgres } from "./postgres.ts";

/** Gives a server the smallest notification queue. Resolves when it has started again. */
export async function restartWithSmallQueue({ connection }: TestPostgres): Promise<void> {
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
  await ask("alter system set max_notify_queue_pages = 64");
  const folder = await ask("show data_directory");
  // The embedded server starts it again.
  process.kill(Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]), "SIGINT");
  await until("the server has started again", async () => (await ask("show max_notify_queue_pages")) === "64");
}
