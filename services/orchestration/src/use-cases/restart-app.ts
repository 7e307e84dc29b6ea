import { AppError } from "@appserver/kernel";
import type { DeploymentStore, ReconcileRequests } from "../ports.ts";

/**
 * Requests a new deployment of the app, whatever the state of its last one. The request is stored, and the holder of the app's
 * lease carries it out. Throws NOT_FOUND if the app has no deployment.
 */
export async function restartApp(
  deployments: DeploymentStore,
  requests: ReconcileRequests,
  appName: string,
  at: Date,
): Promise<void> {
  if (!(await deployments.requestRestart(appName, at))) {
    throw new AppError("NOT_FOUND", `${appName} has no deployment to restart`);
  }
  await requests.send(appName);
}
