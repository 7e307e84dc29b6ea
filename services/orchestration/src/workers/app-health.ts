import type { HealthPlan } from "@appserver/contracts/deployments";
import type { ContainerView, InstanceProblem } from "../ports.ts";
import { hasSeveral } from "./known-instances.ts";
import type { OrchestrationContext } from "./repair-context.ts";

/** An app as its health is checked. */
interface CheckedApp {
  readonly container: ContainerView;
  /** Undefined: it has none yet. */
  readonly endpoint: string | undefined;
  readonly plan: Pick<HealthPlan, "path" | "timeoutMs">;
}

/** The result of one check. */
export interface HealthResult {
  /** Why the app is not healthy. Undefined: it is, because at least one of its instances is. */
  readonly problem: InstanceProblem | undefined;
  /** With the instances that are ready by this check. */
  readonly container: ContainerView;
}

/**
 * Checks the health of an app. Sends a request to each instance, or reads the result of the engine's own checks
 * (docs/interface/containers.md#engines-that-supervise).
 */
export async function checkHealth(
  { container, endpoint, plan: { path, timeoutMs } }: CheckedApp,
  { runtime, probe }: Pick<OrchestrationContext, "runtime" | "probe">,
): Promise<HealthResult> {
  const result = (problem?: InstanceProblem): HealthResult => ({ problem, container });
  if (endpoint === undefined) return result(reportedProblem(container) ?? unhealthy("it has no address yet"));
  if (runtime.abilities.health === "engine") {
    if (container.instances.some(({ isReady }) => isReady)) return result();
    return result(reportedProblem(container) ?? unhealthy("none of its instances is ready"));
  }
  if (path === undefined) return result();
  if (hasSeveral(container))
    return await checkEach(container, (address) => probe.problem(`http://${address}`, path, timeoutMs));
  const message = await probe.problem(endpoint, path, timeoutMs);
  return result(message === undefined ? undefined : unhealthy(message));
}

async function checkEach(
  container: ContainerView,
  problemOf: (address: string) => Promise<string | undefined>,
): Promise<HealthResult> {
  const messages = await Promise.all(
    container.instances.map(async ({ address }) =>
      address === undefined ? "an instance does not run" : await problemOf(address),
    ),
  );
  const instances = container.instances.map((instance, index) => ({ ...instance, isReady: messages[index] === undefined }));
  const [first] = instances.some(({ isReady }) => isReady) ? [] : messages.filter((message) => message !== undefined);
  return { problem: first === undefined ? undefined : unhealthy(first), container: { ...container, instances } };
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
