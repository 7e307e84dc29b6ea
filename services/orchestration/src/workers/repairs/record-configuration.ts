import { amend, type Repair, want } from "../repair-context.ts";

/**
 * Stores whether the running deployment has the configuration that it should have (docs/interface/containers.md#configuration). The
 * marketplace replaces one that does not. A digest with an earlier key is replaced, because that key will be removed.
 */
export const recordConfiguration: Repair = {
  name: "record-configuration",
  applies: ({ deployment, comparison }) => {
    if (!comparison || (deployment?.state !== "HEALTHY" && deployment?.state !== "UNHEALTHY")) return false;
    const wanted = comparison.kind === "different" ? comparison.digest : undefined;
    return comparison.kind === "rekeyed" || deployment.wantedConfiguration !== wanted;
  },
  apply: async ({ deployment, comparison }, context) => {
    if (!deployment || !comparison) return;
    const wanted = comparison.kind === "different" ? comparison.digest : undefined;
    if (deployment.wantedConfiguration !== wanted) {
      await want(context, deployment, wanted);
      const fields = { app: deployment.appName, deployment: deployment.id, isOutOfDate: wanted !== undefined };
      context.logger.info(fields, "orchestration: configuration compared");
    } else if (comparison.kind === "rekeyed") await amend(context, deployment, { configuration: comparison.digest });
  },
};
