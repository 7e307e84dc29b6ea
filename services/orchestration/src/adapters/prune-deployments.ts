import { deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";

/**
 * Deletes deployments that ended longer ago than this. The last one of each image of an app stays: by it the image is found when it is no
 * longer needed. Returns how many.
 */
export function pruneDeployments(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  const condition = `old.role is null and old.updated_at < now() - $1::interval and exists (
    select from orchestration.deployments as newer where newer.app_id = old.app_id and newer.id > old.id
      and newer.image = old.image and newer.image_digest is not distinct from old.image_digest)`;
  return deleteInSteps(database, { table: "orchestration.deployments", key: "id", condition, olderThanMs }, signal);
}
