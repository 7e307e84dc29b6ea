import { healthPlan } from "../../domain/health-plan.ts";
import { tryAgain } from "../failure.ts";
import { ownContainer } from "../situation.ts";
import { moveTo, type Repair } from "../workbench.ts";

const lookEveryMs = 500;

/** Waits until the started app is well, at most the start timeout (specification §6.4; §8, APPSERVER_DOCKER_START_TIMEOUT). */
export const awaitHealth: Repair = {
  name: "await-health",
  applies: ({ deployment, container }) => deployment?.state === "STARTING" && container?.status === "running",
  apply: async ({ desired, deployment }, bench) => {
    if (!desired || !deployment) return;
    const { clock, runtime, settings } = bench;
    const { path, timeoutMs } = healthPlan(desired, settings);
    const deadline = clock.monotonic() + settings.startTimeoutMs;
    for (;;) {
      const container = ownContainer(await runtime.inspect(deployment.containerName), settings.instance, deployment.appId);
      if (container?.status !== "running") return;
      const { endpoint } = container;
      if (endpoint && (path === undefined || (await bench.probe.isHealthy(endpoint, path, timeoutMs)))) {
        bench.health.record(true, clock.monotonic(), healthPlan(desired, settings).intervalMs);
        await moveTo(bench, deployment, "HEALTHY", { endpoint, containerId: container.id });
        return;
      }
      if (clock.monotonic() >= deadline) break;
      await clock.sleep(lookEveryMs, bench.signal);
    }
    const message = `the app was not healthy within ${settings.startTimeoutMs / 1_000} s of its start`;
    await tryAgain(bench, deployment, "RESTARTING", { code: "UPSTREAM_ERROR", message });
  },
};
