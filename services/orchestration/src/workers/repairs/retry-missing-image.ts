import { ContainerError } from "../../ports.ts";
import { missesImage, nextLookForImage } from "../failure.ts";
import { isReady } from "../observed-state.ts";
import { pull } from "../pull.ts";
import { amend, type Repair } from "../repair-context.ts";
import { begin } from "./begin-deployment.ts";

/**
 * Looks again for the image of a deployment that failed permanently because the image was missing, and begins a new deployment when
 * the image is there (docs/interface/containers.md#pull).
 */
export const retryMissingImage: Repair = {
  name: "retry-missing-image",
  applies: (observed) => {
    const { deployment, desired } = observed;
    if (!desired || !deployment?.final || !missesImage(deployment, deployment.lastError)) return false;
    return isReady(observed, "FAILED");
  },
  apply: async (observed, context) => {
    const { deployment } = observed;
    if (!deployment) return;
    try {
      await pull(deployment, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ContainerError) || error.reason === "unreachable") throw error;
      await amend(context, deployment, { notBefore: nextLookForImage(context) });
      return;
    }
    await begin(observed, context);
  },
};
