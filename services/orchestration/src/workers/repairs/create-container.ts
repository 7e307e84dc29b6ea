import { messageOf } from "@appserver/kernel";
import { containerEnvironment, type EnvironmentSource } from "../../domain/container-environment.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import { networkAddress } from "../../domain/upstream-variable.ts";
import { type ContainerView, containerLabels } from "../../ports.ts";
import { containerSpec } from "../container-spec.ts";
import { settleFailure } from "../failure.ts";
import { isReady } from "../observed-state.ts";
import { explain, moveTo, type Repair, type RepairContext } from "../repair-context.ts";

/**
 * Creates the container, or adopts the container of an earlier attempt of this deployment
 * (docs/interface/containers.md#labels).
 */
export const createContainer: Repair = {
  name: "create-container",
  applies: (observed) => observed.desired !== undefined && isReady(observed, "CREATING"),
  apply: async ({ desired, deployment }, context) => {
    if (!desired || !deployment) return;
    const upstreams = await upstreamsOf(desired, context);
    let container: ContainerView;
    try {
      container = await create(desired, deployment, upstreams, context);
      // Also for a container that a killed orchestrator created: its identity may not be the stored one.
      await context.runtime.writeFiles(container.name, await context.identities.issue(context.writer, deployment));
    } catch (error) {
      await settleFailure(context, deployment, error);
      return;
    }
    await moveTo(context, deployment, "STARTING", { containerId: container.id });
  },
};

async function create(
  desired: DesiredApp,
  deployment: Deployment,
  upstreams: EnvironmentSource["upstreams"],
  context: RepairContext,
): Promise<ContainerView> {
  const { runtime, options, platform } = context;
  const existing = await runtime.inspect(deployment.containerName);
  // Its password would no longer be valid after another call of `accessOf`.
  if (existing && isOf(deployment, existing)) return existing;
  context.signal.throwIfAborted();
  const environment = containerEnvironment({
    app: { id: desired.id, name: desired.name, port: desired.upstreamPort },
    upstreams,
    platform,
    access: await accessOf(deployment, context),
  });
  const spec = containerSpec(deployment, desired.upstreamPort, environment, options);
  await runtime.ensureNetwork(options.network);
  context.signal.throwIfAborted();
  const container = await runtime.create(spec);
  // An orchestrator that lost the lease may have created it, with a password that is no longer valid.
  if (container.labels[containerLabels.attempt] === spec.labels[containerLabels.attempt]) return container;
  // The container belongs to an earlier deployment, or has ended. Its owner was checked, and its name is needed.
  await runtime.remove(container.name);
  return await runtime.create(spec);
}

function isOf({ id }: Deployment, { labels, status }: ContainerView): boolean {
  return labels[containerLabels.deploymentId] === id && status !== "exited" && status !== "removing";
}

async function accessOf(deployment: Deployment, context: RepairContext): Promise<EnvironmentSource["access"]> {
  const { options, databases } = context;
  const { appId, appName, generation } = deployment;
  if (!databases) return { isolation: "shared" };
  const login = await databases.open({ appId, appName }, generation).catch(async (error: unknown) => {
    const problem = {
      code: "SERVICE_UNAVAILABLE",
      message: `the database of the app cannot be opened: ${messageOf(error)}`,
    } as const;
    await explain(context, deployment, problem);
    throw error;
  });
  return { isolation: "app", login, redis: options.sharedRedis.includes(appName) };
}

async function upstreamsOf(desired: DesiredApp, context: RepairContext): Promise<EnvironmentSource["upstreams"]> {
  const found: { name: string; url: string }[] = [];
  for (const { name } of desired.dependencies) {
    const app = await context.apps.get(name);
    if (!app?.needsContainer) continue;
    const known = context.options.upstreams === "endpoint" ? (await context.deployments.ofApp(name)).current : undefined;
    found.push({ name, url: known?.endpoint ?? networkAddress(name, app.upstreamPort) });
  }
  return found;
}
