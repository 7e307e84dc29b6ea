import { addressesOf } from "@appserver/contracts/deployments";
import { type Deployment, withDegradation } from "../domain/deployment.ts";
import type { ContainerView } from "../ports.ts";
import { recordedInstances } from "./recorded-instances.ts";
import { amend, type RepairContext } from "./repair-context.ts";

/** Stores the instances of an app that serves, with an event if requests go to other ones. Returns the stored deployment. */
export async function storeInstances(
  context: RepairContext,
  deployment: Deployment,
  container: ContainerView,
  endpoint: string | undefined = deployment.endpoint,
): Promise<Deployment> {
  const changes = recordedInstances(container);
  const isSame = String(addressesOf(deployment)) === String(addressesOf(changes)) && endpoint === deployment.endpoint;
  if (isSame) return await amend(context, deployment, changes);
  const after = withDegradation({ ...deployment, ...changes, endpoint, updatedAt: new Date(context.clock.now()) });
  await context.deployments.transition(context.writer, deployment, after);
  return after;
}
