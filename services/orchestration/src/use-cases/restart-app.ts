import { AppError } from "@appserver/kernel";
import type { DeploymentStore, Hints } from "../ports.ts";

/**
 * Asks for a fresh deployment of the app, whatever became of its last one. The request is stored; whoever holds the app's
 * lease does it. Throws NOT_FOUND when the app has no deployment.
 */
export async function restartApp(deployments: DeploymentStore, hints: Hints, appName: string, at: Date): Promise<void> {
  if (!(await deployments.requestRestart(appName, at))) {
    throw new AppError("NOT_FOUND", `${appName} has no deployment to restart`);
  }
  await hints.raise(appName);
}
