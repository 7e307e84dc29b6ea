import { type DeploymentFault, type FaultKind, isImageFault, type StoredDatabase } from "@appserver/contracts/deployments";
import type { Condition } from "@appserver/marketplace";

/** Returns the problems of an app's containers and its database that an operator should fix (docs/interface/states.md#conditions). */
export function containerConditions(
  faults: readonly DeploymentFault[],
  database: StoredDatabase | undefined,
): readonly Condition[] {
  return [...faults.map(faultCondition), ...databaseConditions(database)];
}

const reasons: Readonly<Record<FaultKind, string>> = {
  image_unavailable: "ImagePullFailed",
  image_limited: "ImagePullLimited",
  image_missing: "ImageMissing",
  engine: "EngineFailed",
  network: "NoFreeNetwork",
  name_in_use: "NameInUse",
  database: "DatabaseUnreachable",
};

function faultCondition({ kind, message, since }: DeploymentFault): Condition {
  const type = isImageFault(kind) ? "ImageAvailable" : kind === "database" ? "DatabaseAvailable" : "ContainerAvailable";
  return { type, status: "False", reason: reasons[kind], message, lastTransitionTime: since.toISOString() };
}

/** Returns the problem of a database that is over its limit (docs/interface/containers.md#size-of-a-database). */
function databaseConditions(database: StoredDatabase | undefined): readonly Condition[] {
  if (!database?.fullSince) return [];
  const [used, limit] = [database.usedBytes, database.limitBytes].map((bytes) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`);
  return [
    {
      type: "DatabaseAvailable",
      status: "False",
      reason: "DatabaseFull",
      message:
        `The database of the app has ${used}, and its limit is ${limit}. The app gets no connections until the limit is raised ` +
        "(containers.database_size_limit) or the administrator of the database deletes data.",
      lastTransitionTime: database.fullSince.toISOString(),
    },
  ];
}
