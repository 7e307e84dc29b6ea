import { isAppError, messageOf } from "@appserver/kernel";
import { containerEnvironment, type EnvironmentSource, proxyAddress } from "../../domain/container-environment.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import { healthPlan } from "../../domain/health-plan.ts";
import { networkAddress } from "../../domain/upstream-variable.ts";
import { type ContainerView, containerLabels } from "../../ports.ts";
import { openNetwork } from "../app-network.ts";
import { configurationOf, limitsOf } from "../container-configuration.ts";
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
      const files = await context.identities.issue(context.writer, deployment);
      // Another orchestrator may have taken over, with another identity.
      context.signal.throwIfAborted();
      await context.runtime.writeFiles(container.name, files);
    } catch (error) {
      await settleFailure(context, deployment, error);
      return;
    }
    if (desired.storage.length > 0)
      await context.storageRecords.save(desired.id, desired.storage, new Date(context.clock.now()));
    const configuration = container.labels[containerLabels.configuration];
    await moveTo(context, deployment, "STARTING", {
      containerId: container.id,
      fingerprint: container.fingerprint,
      configuration,
      wantedConfiguration: undefined,
      limits: limitsOf(desired, context.options),
      healthPlan: healthPlan(desired, context.options),
    });
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
  // Its password would no longer be valid after another call of `accessOf`. A container that the engine could not start is made again: its
  // network may have been removed.
  if (existing && isOf(deployment, existing) && deployment.fault?.kind !== "engine") return existing;
  context.signal.throwIfAborted();
  const configuration = await configurationOf(desired, context).catch((error: unknown) =>
    waitForSettings(deployment, error, context),
  );
  const environment = containerEnvironment({
    app: { id: desired.id, name: desired.name, version: desired.version, port: desired.upstreamPort },
    upstreams,
    platform,
    access: await accessOf(deployment, context),
    declared: configuration.declared,
  });
  const network = await openNetwork(deployment, context);
  const spec = containerSpec(deployment, desired, environment, network, configuration, options);
  context.signal.throwIfAborted();
  const container = await runtime.create(spec);
  // An orchestrator that lost the lease may have created it, with a password that is no longer valid.
  if (container.labels[containerLabels.attempt] === spec.labels[containerLabels.attempt]) return container;
  // The container belongs to an earlier deployment, or has ended. Its owner was checked, and its name is needed.
  await runtime.remove(container.name);
  return await runtime.create(spec);
}

/**
 * A setting that cannot be decrypted is set again sooner or later. The current deployment waits for that. A next one fails, because
 * the current one still serves.
 */
async function waitForSettings(deployment: Deployment, error: unknown, context: RepairContext): Promise<never> {
  if (!isAppError(error) || deployment.role === "next") throw error;
  await explain(context, deployment, { code: error.code, message: error.message });
  throw new Error(`the environment of ${deployment.appName} cannot be made`, { cause: error });
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
    await explain(context, deployment, problem, "database");
    throw error;
  });
  return { isolation: "app", login, redis: options.sharedRedis.includes(appName) };
}

/**
 * Returns the address of a dependency (docs/interface/containers.md#environment): on the platform, if apps have networks of their own.
 * In one network, containers reach each other by name. Without networks, the address is that of the dependency when the app is
 * created, and becomes outdated when the dependency moves.
 */
async function upstreamOf({ name, upstreamPort }: DesiredApp, context: RepairContext): Promise<string> {
  const { options, deployments, platform, runtime } = context;
  if (options.networkPool !== undefined) return proxyAddress(platform, name);
  const known = runtime.networks ? undefined : (await deployments.ofApp(name)).current;
  return known?.endpoint ?? networkAddress(name, upstreamPort);
}

async function upstreamsOf(desired: DesiredApp, context: RepairContext): Promise<EnvironmentSource["upstreams"]> {
  const found: { name: string; url: string }[] = [];
  for (const { name } of desired.dependencies) {
    const app = await context.apps.get(name);
    if (!app?.needsContainer) continue;
    found.push({ name, url: await upstreamOf(app, context) });
  }
  return found;
}
