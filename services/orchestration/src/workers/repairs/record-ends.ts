import { recordRestarts, restartDelayMs } from "../../domain/restart-policy.ts";
import { crashOf, failPermanently } from "../failure.ts";
import { newRestarts, recordedRestarts } from "../instance-restarts.ts";
import { recordedInstances } from "../recorded-instances.ts";
import type { Repair } from "../repair-context.ts";

/**
 * Stores what an engine that restarts instances itself did: how often, and what the app printed before. The state stays, because the
 * engine repeats the start with a back-off of its own. If it has restarted the app more often than allowed and no instance is ready, the
 * deployment has failed. A next deployment has one attempt. If the engine restarts nothing, this is one of several instances that ended:
 * `correct-replicas` starts it again after the back-off, while the others serve.
 */
export const recordEnds: Repair = {
  name: "record-ends",
  applies: ({ deployment, container }) =>
    deployment !== undefined &&
    ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state) &&
    container !== undefined &&
    newRestarts(deployment, container) !== undefined,
  apply: async ({ desired, deployment, container }, context) => {
    const found = deployment && container && newRestarts(deployment, container);
    if (!found) return;
    const { clock, deployments, metrics, options, writer } = context;
    const { count, most, instance } = found;
    const { problem, crash } = await crashOf(context, desired, container, instance);
    const now = clock.now();
    const { restarts, exhausted } = recordRestarts(deployment, most, now, options);
    metrics.restarts.bind({ app: deployment.appName }).add(count);
    const changes = {
      lastCrash: crash,
      restarts,
      restartCount: deployment.restartCount + count,
      instanceRestarts: recordedRestarts(container),
    };
    const isReady = container.instances.some((each) => each.isReady);
    const waits = context.runtime.abilities.restarts === "orchestrator";
    const ended = waits ? { ...recordedInstances(container), notBefore: new Date(now + restartDelayMs(restarts.length)) } : {};
    if (deployment.role === "next") await failPermanently(context, deployment, problem, changes);
    else if (exhausted !== undefined && !isReady) {
      const message = `${problem.message}; ${exhausted}`;
      await failPermanently(context, deployment, { ...problem, message }, changes);
    } else {
      // An app that serves again has no error, and its count is reset some time after its last end.
      const isHealthy = deployment.state === "HEALTHY";
      const healthySince = isHealthy ? new Date(now) : undefined;
      const lastError = isHealthy ? deployment.lastError : problem;
      const after = { ...deployment, ...changes, ...ended, healthySince, lastError, updatedAt: new Date(now) };
      await deployments.transition(writer, deployment, after);
    }
  },
};
