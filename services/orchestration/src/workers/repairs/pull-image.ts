import { isImageFault } from "@appserver/contracts/deployments";
import { settleFailure } from "../failure.ts";
import { isReady } from "../observed-state.ts";
import { pull } from "../pull.ts";
import { moveTo, type Repair } from "../repair-context.ts";

/** Pulls by digest if it is known, else by tag, and stores the digest (docs/interface/containers.md#pull). */
export const pullImage: Repair = {
  name: "pull-image",
  applies: (observed, { registry }) =>
    isReady(observed, "PENDING", "PULLING") || (observed.deployment !== undefined && registry.mayTry(observed.deployment)),
  apply: async ({ deployment }, context) => {
    if (!deployment) return;
    if (deployment.fault?.kind === "image_unavailable") context.registry.tried();
    const pulling = deployment.state === "PULLING" ? deployment : await moveTo(context, deployment, "PULLING");
    const startedAt = context.clock.monotonic();
    const finish = (outcome: "success" | "failure"): void =>
      context.metrics.pullDuration.bind({ outcome }).observe((context.clock.monotonic() - startedAt) / 1_000);
    let digest: string;
    try {
      digest = await pull(pulling, context);
    } catch (error) {
      finish("failure");
      await settleFailure(context, pulling, error);
      return;
    }
    finish("success");
    // Another fault, for example of the engine, may follow the pull again.
    const waitsForImage = pulling.fault === undefined || isImageFault(pulling.fault.kind);
    const cleared = waitsForImage ? { lastError: undefined, fault: undefined } : {};
    await moveTo(context, pulling, "CREATING", { imageDigest: pulling.imageDigest ?? digest, ...cleared });
  },
};
