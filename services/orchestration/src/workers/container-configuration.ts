import type { CreatedLimits } from "@appserver/contracts/deployments";
import { defaultContainerUser, userWithGroup } from "@appserver/contracts/names";
import type { SettingVariables } from "@appserver/contracts/settings";
import { isAppError } from "@appserver/kernel";
import { containerEnvironment, type ServerAccess } from "../domain/container-environment.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { healthPlan } from "../domain/health-plan.ts";
import type { OrchestrationOptions } from "../domain/orchestration-options.ts";
import type {
  AppDatabases,
  ConfigurationDigests,
  ContainerReplicas,
  ContainerRuntime,
  ContainerSupervision,
} from "../ports.ts";
import type { Comparison } from "./observed-state.ts";
import { replicasOf } from "./replicas.ts";

/** What the container of an app is created with, apart from an image by tag, its names and what differs at each creation. */
export interface ContainerConfiguration {
  /** Constants and values of settings. May contain secrets. */
  readonly declared: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly limits: CreatedLimits;
  readonly supervision: ContainerSupervision;
  readonly replicas: ContainerReplicas;
  readonly digest: string;
}

/** The part of the repair context that the configuration follows from. */
interface Context {
  readonly settings: SettingVariables;
  readonly digests: ConfigurationDigests;
  readonly options: OrchestrationOptions;
  readonly runtime: Pick<ContainerRuntime, "abilities">;
  /** Without it, apps get the platform's own addresses and passwords. */
  readonly databases: Pick<AppDatabases, "address"> | undefined;
  readonly platform: Readonly<Record<string, string | undefined>>;
}

/** Returns the configuration that the app should have. Throws INVALID_STATE if a secret setting cannot be decrypted. */
export async function configurationOf(desired: DesiredApp, context: Context): Promise<ContainerConfiguration> {
  const configuration = await currentConfiguration(desired, context);
  return { ...configuration, digest: await context.digests.of(textOf(desired, configuration, context)) };
}

/**
 * Compares the configuration of the deployment with the one that it should have. Undefined if no container was created yet, or if
 * the desired configuration cannot be determined: then nothing is replaced.
 */
export async function compareConfiguration(
  { configuration: known }: Deployment,
  desired: DesiredApp,
  context: Context,
): Promise<Comparison | undefined> {
  if (known === undefined) return undefined;
  try {
    const text = textOf(desired, await currentConfiguration(desired, context), context);
    const digest = await context.digests.of(text);
    if (digest === known) return { kind: "same" };
    return { kind: (await context.digests.matches(known, text)) ? "rekeyed" : "different", digest };
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

type Unsealed = Omit<ContainerConfiguration, "digest">;

async function currentConfiguration(desired: DesiredApp, context: Context): Promise<Unsealed> {
  const { settings, options, databases } = context;
  const { settingVariables } = desired;
  const values = settingVariables.length === 0 ? {} : await settings.read(desired.id, settingVariables);
  // The literal behaviour of `shared` isolation is the user of the image.
  const user = desired.user ?? (databases ? defaultContainerUser : undefined);
  return {
    declared: { ...desired.environment, ...values },
    user: user === undefined ? undefined : userWithGroup(user),
    limits: limitsOf(desired, options),
    supervision: supervisionOf(desired, options),
    replicas: replicasOf(desired, context),
  };
}

function supervisionOf(desired: DesiredApp, options: OrchestrationOptions): ContainerSupervision {
  const { path, ...plan } = healthPlan(desired, options);
  const { startTimeoutMs, stopTimeoutMs: stopGraceMs } = options;
  return { ...(path === undefined ? {} : { health: { path, ...plan } }), startTimeoutMs, stopGraceMs };
}

/** Returns the declared limits, completed by the operator's defaults, and at most the operator's maximum. */
export function limitsOf(
  { limits }: Pick<DesiredApp, "limits">,
  { memoryMb, cpuShares, pidsLimit, maxLimits: most }: OrchestrationOptions,
): CreatedLimits {
  return {
    memoryMb: Math.min(limits.memoryMb ?? memoryMb, most.memoryMb),
    cpuShares: Math.min(limits.cpuShares ?? cpuShares, most.cpuShares),
    pids: Math.min(limits.pids ?? pidsLimit, most.pids),
  };
}

/**
 * Returns the input of the digest. It has no login, because each container gets another one, and no addresses of dependencies: their
 * removal and return must not replace the apps that use them. An image by tag is not part of it: only administrators decide to run
 * another one. The version is not part of it: a release with another page only keeps the container. The health check is part of it only
 * if the engine carries it out, and the number of instances only if the engine changes it by itself: otherwise it is corrected without
 * another container.
 */
function textOf(desired: DesiredApp, { declared, user, limits, supervision, replicas }: Unsealed, context: Context): string {
  const app = { id: desired.id, name: desired.name, version: "", port: desired.upstreamPort };
  const environment = containerEnvironment({
    app,
    upstreams: [],
    platform: context.platform,
    access: accessTo(desired, context),
    declared,
  });
  const sorted = Object.entries(environment).sort(([left], [right]) => (left < right ? -1 : 1));
  const image = desired.signedDigest ?? null;
  const { abilities } = context.runtime;
  const supervised = abilities.health === "engine" ? [supervision] : [];
  const scaled = abilities.restarts === "engine" && replicas.max > replicas.min ? [replicas] : [];
  const numbers = [limits.memoryMb, limits.cpuShares, limits.pids];
  return JSON.stringify([sorted, user ?? null, ...numbers, image, ...supervised, ...scaled]);
}

function accessTo({ name }: DesiredApp, { databases, options }: Context): ServerAccess {
  if (!databases) return { isolation: "shared" };
  const login = { ...databases.address, database: "", user: "", password: "" };
  return { isolation: "app", login, redis: options.sharedRedis.includes(name) };
}
