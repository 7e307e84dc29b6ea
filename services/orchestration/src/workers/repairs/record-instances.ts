import { addressesOf } from "@appserver/contracts/deployments";
import { withDegradation } from "../../domain/deployment.ts";
import { areRecorded, recordedInstances } from "../recorded-instances.ts";
import { amend, type Repair } from "../repair-context.ts";

/** Stores which instances the container of an app that serves has, after they changed. With an event if requests go to other ones. */
export const recordInstances: Repair = {
  name: "record-instances",
  applies: ({ deployment, container }) =>
    (deployment?.state === "HEALTHY" || deployment?.state === "UNHEALTHY") &&
    container?.status === "running" &&
    !areRecorded(deployment, container),
  apply: async ({ deployment, container }, context) => {
    if (!deployment || !container) return;
    const changes = recordedInstances(container);
    if (String(addressesOf(deployment)) === String(addressesOf(changes))) {
      await amend(context, deployment, changes);
      return;
    }
    const after = withDegradation({ ...deployment, ...changes, updatedAt: new Date(context.clock.now()) });
    await context.deployments.transition(context.writer, deployment, after);
  },
};
