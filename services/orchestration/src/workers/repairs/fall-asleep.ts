import { moveTo, type Repair } from "../repair-context.ts";

/**
 * Marks an idle app as asleep (docs/interface/sleep.md#falling-asleep). Its container still runs: it is stopped once every server lets
 * new requests wait.
 */
export const fallAsleep: Repair = {
  name: "fall-asleep",
  applies: ({ deployment, deployments, installed }) =>
    deployment?.state === "HEALTHY" &&
    deployment.sleepRequestedAt !== undefined &&
    installed?.next === undefined &&
    deployments.next === undefined,
  apply: async ({ deployment }, context) => {
    if (deployment) await moveTo(context, deployment, "ASLEEP");
  },
};
