import type { HealthPlan } from "@appserver/contracts/deployments";
import type { Deployment } from "../domain/deployment.ts";
import type { ContainerRuntime, ContainerView, InstanceView } from "../ports.ts";

type Known = Pick<Deployment, "instances" | "instanceRestarts">;

/** Time between two checks of an instance that has started and is not ready yet. */
const soonMs = 1_000;

/** Returns whether the container should have more than one instance. */
export function hasSeveral({ wanted }: Pick<ContainerView, "wanted">): boolean {
  return wanted > 1;
}

/**
 * Returns the container with what the record knows of its instances, where the engine does not supervise them: whether one was ready at
 * its last check, how often it was restarted, and how it ended last. An end that the record does not contain yet counts as one more
 * restart, as an engine would have done it. A single instance is the container itself, and has none of this.
 */
export function withKnown(
  container: ContainerView,
  deployment: Known,
  path: HealthPlan["path"],
  { abilities }: Pick<ContainerRuntime, "abilities">,
): ContainerView {
  if (!hasSeveral(container)) return container;
  const isChecked = abilities.health === "orchestrator" && path !== undefined;
  const instances = container.instances.map((instance) => {
    const ends = abilities.restarts === "orchestrator" ? withEnds(instance, deployment) : instance;
    return isChecked ? { ...ends, isReady: ends.isReady && wasReady(instance, deployment) } : ends;
  });
  return { ...container, instances };
}

function wasReady({ id, startedAt }: InstanceView, { instances = [] }: Known): boolean {
  const known = instances.find((each) => each.id === id);
  return known?.ready === true && known.startedAt?.getTime() === startedAt?.getTime();
}

function withEnds(instance: InstanceView, { instances = [], instanceRestarts = {} }: Known): InstanceView {
  const known = instances.find(({ id }) => id === instance.id)?.lastEnd;
  const lastEnd = instance.lastEnd ?? known;
  const isNew = instance.lastEnd !== undefined && instance.lastEnd.at.getTime() !== known?.at.getTime();
  const restarts = (instanceRestarts[instance.id] ?? 0) + (isNew ? 1 : 0);
  if (!lastEnd) return { ...instance, restarts };
  const { at, exitCode, cause } = lastEnd;
  return { ...instance, restarts, lastEnd: { at, cause, ...(exitCode === undefined ? {} : { exitCode }) } };
}

/** Returns whether an instance has ended, or has never started. */
export function isAnyDown({ instances }: Pick<ContainerView, "instances">): boolean {
  return instances.some(
    ({ startedAt, lastEnd }) => startedAt === undefined || (lastEnd !== undefined && lastEnd.at >= startedAt),
  );
}

/** Returns the time until the next check: soon, while an instance has started and may become ready. */
export function nextCheckMs(
  container: ContainerView,
  { intervalMs }: Pick<HealthPlan, "intervalMs">,
  { now, startTimeoutMs }: { readonly now: number; readonly startTimeoutMs: number },
): number {
  const mayBecomeReady = ({ isReady, address, startedAt }: InstanceView): boolean =>
    !isReady && address !== undefined && startedAt !== undefined && now - startedAt.getTime() < startTimeoutMs;
  const isSoon = hasSeveral(container) && container.instances.some(mayBecomeReady);
  return isSoon ? Math.min(intervalMs, soonMs) : intervalMs;
}
