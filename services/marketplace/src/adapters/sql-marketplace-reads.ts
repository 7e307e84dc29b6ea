import type { DrainState, MarketplaceReads } from "@appserver/contracts/deployments";
import type { Database } from "@appserver/kernel/ports";
import { aliveFor } from "./sql-drains.ts";

/** Implements the reads of the orchestrator on PostgreSQL, schema `marketplace`. */
export class SqlMarketplaceReads implements MarketplaceReads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async isApproved(appId: string, scope: string): Promise<boolean> {
    const { count } = await this.#database.query(
      "select 1 from marketplace.permission_approvals where app_id = $1 and owner = '' and scope = $2 limit 1",
      [appId, scope],
    );
    return count > 0;
  }

  async retainedImages(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#database.query<{ readonly digest: string }>(`
      with installed as (
        select id, image_digest, target from marketplace.apps where state not in ('REGISTERED', 'UNINSTALLED'))
      select image_digest as digest from installed where image_digest is not null
      union select target->>'imageDigest' from installed where target->>'imageDigest' is not null
      union select cloned_from->>'imageDigest' from marketplace.apps where cloned_from is not null
      union select manifests.image_digest from marketplace.manifests join installed on installed.id = manifests.app_id
            where manifests.image_digest is not null`);
    return new Set(rows.map(({ digest }) => digest));
  }

  async holdsRequests(appId: string): Promise<boolean> {
    const { count } = await this.#database.query(
      "select from marketplace.apps where id = $1 and requests_buffered_since is not null and updated_at < now() - interval '300 ms'",
      [appId],
    );
    return count > 0;
  }

  async drainState(appId: string, generation: number, asleep?: "asleep"): Promise<DrainState> {
    const { rows } = await this.#database.query<DrainState>(
      `select count(*) filter (where drains.generation is null or drains.generation < $2 or $3 and not drains.is_asleep) as waiting,
         coalesce(sum(drains.exchanges) filter (where drains.generation >= $2), 0) as exchanges
       from marketplace.replicas
       left join marketplace.drains on drains.replica = replicas.id and drains.app_id = $1
       where replicas.seen_at > now() - ${aliveFor}`,
      [appId, generation, asleep !== undefined],
    );
    return rows[0] ?? { waiting: 0, exchanges: 0 };
  }
}
