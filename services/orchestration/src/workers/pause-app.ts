import type { ObservedState } from "./observed-state.ts";
import type { RepairContext } from "./repair-context.ts";

const lookEveryMs = 100;
/** Without a server, nothing holds requests. */
const holdWithinMs = 3_000;

/**
 * Stops the current deployment of the app, so that nothing writes its data. First it is marked as paused, with an event: the servers
 * then let requests wait (docs/interface/proxy.md#replaced-apps), until `resume-paused` has removed the mark and the app is healthy.
 * Returns false if the state must be read again.
 */
export async function pauseApp({ role, deployment, container }: ObservedState, context: RepairContext): Promise<boolean> {
  // During a switch, `pause-current` has stopped it.
  if (role !== "current" || !deployment || container?.status !== "running") return true;
  const { clock, marketplace, runtime, options, metrics, signal } = context;
  if (deployment.pausedAt === undefined) {
    const pausedAt = new Date(clock.now());
    await context.deployments.transition(context.writer, deployment, { ...deployment, pausedAt, updatedAt: pausedAt });
    return false;
  }
  const end = clock.monotonic() + holdWithinMs;
  while (clock.monotonic() < end && !(await marketplace.holdsRequests(deployment.appId)))
    await clock.sleep(lookEveryMs, signal);
  await runtime.stop(container.name, options.stopTimeoutMs);
  metrics.containerStops.bind({ app: deployment.appName }).add();
  return true;
}
