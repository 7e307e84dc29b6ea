import type { HealthPlan } from "@appserver/contracts/deployments";
import type { ContainerView, InstanceProblem } from "../ports.ts";
import type { OrchestrationContext } from "./repair-context.ts";

/** An app as its health is checked. */
interface CheckedApp {
  readonly container: Pick<ContainerView, "instances" | "problem">;
  /** Undefined: it has none yet. */
  readonly endpoint: string | undefined;
  readonly plan: Pick<HealthPlan, "path" | "timeoutMs">;
}

/**
 * Returns why the app is not healthy; undefined if it is. Sends a request, or reads the result of the engine's own checks
 * (docs/interface/containers.md#engines-that-supervise).
 */
export async function healthProblem(
  { container, endpoint, plan }: CheckedApp,
  { runtime, probe }: Pick<OrchestrationContext, "runtime" | "probe">,
): Promise<InstanceProblem | undefined> {
  if (endpoint === undefined) return reportedProblem(container) ?? unhealthy("it has no address yet");
  if (runtime.abilities.health === "engine") {
    if (container.instances.some(({ isReady }) => isReady)) return undefined;
    return reportedProblem(container) ?? unhealthy("none of its instances is ready");
  }
  const message = plan.path === undefined ? undefined : await probe.problem(endpoint, plan.path, plan.timeoutMs);
  return message === undefined ? undefined : unhealthy(message);
}

/** Returns what the engine says about a container that does not become ready: first what is final. */
export function reportedProblem({
  problem,
  instances,
}: Pick<ContainerView, "instances" | "problem">): InstanceProblem | undefined {
  const found = [problem, ...instances.map((instance) => instance.problem)].filter((each) => each !== undefined);
  return found.find(({ isFinal }) => isFinal) ?? found[0];
}

function unhealthy(message: string): InstanceProblem {
  return { code: "UPSTREAM_ERROR", message, isFinal: false };
}
