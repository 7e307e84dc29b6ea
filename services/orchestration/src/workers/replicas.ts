import type { DesiredApp } from "../domain/desired-app.ts";
import type { OrchestrationOptions } from "../domain/orchestration-options.ts";
import type { ContainerReplicas, ContainerRuntime } from "../ports.ts";

/** What the number of instances follows from. */
interface Context {
  readonly options: Pick<OrchestrationOptions, "maxReplicas">;
  readonly runtime: Pick<ContainerRuntime, "abilities">;
}

/**
 * Returns how many instances of the app run: as many as it wants, within what the operator allows and the engine can. An app whose
 * storage is for one container at a time has one.
 */
export function replicasOf(
  { replicas, storage, sharesStorage }: Pick<DesiredApp, "replicas" | "storage" | "sharesStorage">,
  { options, runtime }: Context,
): ContainerReplicas {
  const isAlone = storage.length > 0 && !sharesStorage;
  const most = isAlone ? 1 : Math.min(options.maxReplicas, runtime.abilities.maxReplicas);
  const { min, max, cpuPercent } = replicas;
  return { min: Math.min(min, most), max: Math.min(max, most), ...(cpuPercent === undefined ? {} : { cpuPercent }) };
}

/** Returns the number that a container should have that has `wanted` now. An engine that supervises instances may add some. */
export function correctCount({ min, max }: ContainerReplicas, wanted: number, { runtime }: Pick<Context, "runtime">): number {
  const most = runtime.abilities.restarts === "engine" ? max : min;
  return Math.min(most, Math.max(min, wanted));
}
