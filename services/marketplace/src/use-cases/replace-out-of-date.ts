import { isInstalled } from "../domain/app-state.ts";
import type { MarketplaceContext } from "./context.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { beginRedeployment } from "./switch/index.ts";

/** The actor of automatic replacements. */
const actor = "system:out-of-date";
/** Each needs memory for a second container. A change of the platform's addresses makes every app out of date at once. */
const maxAtOnce = 4;

/**
 * Starts the replacement of deployments that are out of date (docs/interface/containers.md#configuration). Each is a switch to a new
 * deployment of the same release and image.
 */
export async function replaceOutOfDate(context: MarketplaceContext): Promise<void> {
  const names = await context.deployments.outOfDate();
  if (names.length === 0) return;
  const running = (await context.store.unfinished()).filter((operation) => operation.actor === actor);
  let free = maxAtOnce - running.length;
  for (const name of names) {
    if (free <= 0) return;
    if (await replaceOne(context, name)) free -= 1;
  }
}

/** Returns whether a replacement has started. Does not reject: the other apps must not wait for this one. */
async function replaceOne(context: MarketplaceContext, name: string): Promise<boolean> {
  try {
    const run = await context.lock.runIfFree(name, () => onCurrentApp(() => beginReplacement(context, name)));
    return run.held && run.value;
  } catch (error) {
    context.logger.warn({ err: error, app: name }, "marketplace: replacing an out-of-date deployment failed; retrying");
    return false;
  }
}

async function beginReplacement(context: MarketplaceContext, name: string): Promise<boolean> {
  const live = await context.apps.current(name);
  if (!live) return false;
  const { app, placement } = live;
  // An automatic upgrade that is not decided yet would be lost, and replaces the deployment anyway.
  if (!isInstalled(app.state) || !app.enabled || app.target || app.releaseAwaitingAutoUpgrade || !placement.needsContainer)
    return false;
  const deployment = await context.deployments.find(app.id, app.generation);
  if (!deployment || deployment.generation !== app.generation || deployment.pausedAt) return false;
  if (deployment.state !== "HEALTHY" && deployment.state !== "UNHEALTHY") return false;
  const configuration = deployment.wantedConfiguration;
  if (configuration === undefined || configuration === app.failedConfiguration) return false;
  await beginRedeployment(context, live, { pull: false, actor, configuration });
  context.logger.info({ app: name, generation: app.generation }, "marketplace: replacing a deployment that is out of date");
  return true;
}
