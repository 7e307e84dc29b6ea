import { drained } from "../drain.ts";
import { moveTo, type Repair } from "../repair-context.ts";

/** Waits until the servers no longer use the replaced deployment, then has it stopped (docs/interface/states.md#switch). */
export const retireReplaced: Repair = {
  name: "retire-replaced",
  applies: ({ deployment }) => deployment !== undefined && deployment.state !== "STOPPING",
  apply: async ({ installed, deployment, deployments: { current }, container }, context) => {
    if (!deployment) return;
    const { appId, appName, updatedAt } = deployment;
    if (container?.status === "running" && installed?.id === appId && current)
      await drained(context, { appId, generation: current.generation, since: updatedAt });
    const tookMs = Math.max(0, context.clock.now() - updatedAt.getTime());
    context.metrics.drainDuration.bind({}).observe(tookMs / 1_000);
    context.logger.info(
      { app: appName, deployment: deployment.id, generation: deployment.generation, seconds: tookMs / 1_000 },
      "orchestration: replaced deployment is no longer used",
    );
    await moveTo(context, deployment, "STOPPING");
  },
};
