import type { DeploymentRecord } from "@appserver/contracts/deployments";

/** The part of a deployment that the reason follows from. */
export type Explained = Pick<DeploymentRecord, "state" | "lastError" | "pausedAt" | "progress" | "notBefore" | "final">;

/** Returns in one sentence why the app does not run. Undefined while its container is healthy. */
export function deploymentReason(deployment: Explained, enabled: boolean): string | undefined {
  const { state, lastError, notBefore, final, pausedAt } = deployment;
  if (state === "STOPPED" || state === "STOPPING") return enabled ? "its container is stopped" : "the app is disabled";
  if (pausedAt) return "its container is stopped while another version takes over or its data is copied";
  if (state === "HEALTHY") return undefined;
  if (state === "ASLEEP") return "the app is asleep, because it was not in use";
  if (!lastError) return progressReason(deployment);
  if (notBefore) return `${lastError.message}; the next attempt is at ${notBefore.toISOString()}`;
  return final ? `${lastError.message}; it is not tried again without a command` : lastError.message;
}

function progressReason({ state, progress }: Explained): string {
  switch (state) {
    case "PULLING":
      return progress === undefined
        ? "its image is being pulled"
        : `its image is being pulled: ${Math.floor(progress * 100)} %`;
    case "STARTING":
      return "its container was started and has not passed a health check yet";
    case "RESTARTING":
      return "its container is being restarted";
    default:
      return "its container is being prepared";
  }
}
