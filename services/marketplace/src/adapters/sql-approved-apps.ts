import type { Database } from "@appserver/kernel/ports";
import type { ApprovedApps } from "../ports.ts";

/** Reads which apps have an approval of a permission. */
export class SqlApprovedApps implements ApprovedApps {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async has(appId: string, scope: string): Promise<boolean> {
    const { count } = await this.#database.query(
      "select 1 from marketplace.permission_approvals where app_id = $1 and owner = '' and scope = $2 limit 1",
      [appId, scope],
    );
    return count > 0;
  }
}
