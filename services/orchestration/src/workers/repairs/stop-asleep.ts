import type { Repair } from "../repair-context.ts";

const lookEveryMs = 200;
/** Longer than a server that has ended without a word counts as alive. */
const handOverMs = 90_000;

/**
 * Stops the container of an app that is asleep, once every server lets new requests wait and no request runs. An app that is in use
 * after all is woken instead.
 */
export const stopAsleep: Repair = {
  name: "stop-asleep",
  applies: ({ deployment, container }) =>
    deployment?.state === "ASLEEP" && deployment.wakeRequestedAt === undefined && container?.status === "running",
  apply: async ({ deployment, container }, context) => {
    if (!deployment || !container) return;
    const { clock, deployments, marketplace, metrics, options, runtime, signal, writer } = context;
    const { appId, appName, generation } = deployment;
    const giveUpAt = clock.monotonic() + handOverMs;
    for (;;) {
      const { current } = await deployments.ofApp(writer.appName);
      if (current?.state !== "ASLEEP" || current.wakeRequestedAt !== undefined) return;
      const { waiting, exchanges } = await marketplace.drainState(appId, generation, "asleep");
      if (exchanges > 0 || clock.monotonic() >= giveUpAt) {
        await deployments.requestWake(appId);
        return;
      }
      if (waiting === 0) break;
      await clock.sleep(lookEveryMs, signal);
    }
    await runtime.stop(container.name, options.stopTimeoutMs);
    metrics.containerStops.bind({ app: appName }).add();
    context.logger.info({ app: appName, deployment: deployment.id }, "orchestration: the app sleeps");
  },
};
