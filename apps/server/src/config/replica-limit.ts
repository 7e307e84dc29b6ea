import type { ReplicaLimit } from "@appserver/contracts/settings";
import { builtInDrivers } from "./drivers/built-in-drivers.ts";

/** Returns how many instances of an app run at most: as the operator allows, and as the driver can. */
export function replicaLimit(maxReplicas: number, driver: { readonly name: string; readonly most: number }): ReplicaLimit {
  if (driver.most > maxReplicas) return { most: maxReplicas, because: "an operator can raise containers.max_replicas" };
  return { most: driver.most, because: `the driver ${driver.name} runs no more` };
}

/** As {@link replicaLimit}, for a process that does not open the driver. What a driver outside of the platform can is not known then. */
export function configuredReplicaLimit(containers: { readonly driver: string; readonly maxReplicas: number }): ReplicaLimit {
  const known = builtInDrivers.containers.find(({ choice }) => choice === containers.driver)?.driver;
  const most = known ? (known.maxReplicas ?? 1) : Number.POSITIVE_INFINITY;
  return replicaLimit(containers.maxReplicas, { name: containers.driver, most });
}
