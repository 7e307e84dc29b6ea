import {
  type DeploymentFault,
  type DeploymentRecord,
  type FaultKind,
  isImageFault,
  type StoredDatabase,
} from "@appserver/contracts/deployments";
import type { Condition } from "@appserver/marketplace";

/** Returns the problems of an app's containers and its database that an operator should fix (docs/interface/states.md#conditions). */
export function containerConditions(
  faults: readonly DeploymentFault[],
  database: StoredDatabase | undefined,
  deployment: DeploymentRecord | undefined,
): readonly Condition[] {
  return [...faults.map(faultCondition), ...databaseConditions(database), ...degradedConditions(deployment)];
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

/** Returns the problem of an app that serves with fewer instances than it should have. */
function degradedConditions(deployment: DeploymentRecord | undefined): readonly Condition[] {
  if (!deployment?.degradedSince) return [];
  const { wantedInstances, instances = [], degradedSince } = deployment;
  const ready = instances.filter((instance) => instance.ready).length;
  const problem = instances.find((instance) => instance.problem !== undefined)?.problem;
  return [
    {
      type: "AllInstancesReady",
      status: "False",
      reason: "Degraded",
      message: `${ready} of ${wantedInstances} instances of the app are ready${problem === undefined ? "" : `: ${problem}`}`,
      lastTransitionTime: degradedSince.toISOString(),
    },
  ];
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
