import type { Deployment } from "../domain/deployment.ts";
import type { ContainerView, InstanceView } from "../ports.ts";

/** What the engine has restarted since that was recorded last. */
export interface NewRestarts {
  readonly count: number;
  /** Of the one that was restarted most often. What ends all instances at once is one failure of the app. */
  readonly most: number;
  /** The instance that ended last. */
  readonly instance: InstanceView;
}

/** Returns the restarts of instances that the record does not contain yet; undefined if there are none. */
export function newRestarts(
  { instanceRestarts = {} }: Pick<Deployment, "instanceRestarts">,
  { instances }: Pick<ContainerView, "instances">,
): NewRestarts | undefined {
  const restarted = instances.filter(({ id, restarts }) => restarts > (instanceRestarts[id] ?? 0));
  const [instance] = restarted.toSorted((a, b) => Number(b.lastEnd?.at ?? 0) - Number(a.lastEnd?.at ?? 0));
  if (!instance) return undefined;
  const counts = restarted.map(({ id, restarts }) => restarts - (instanceRestarts[id] ?? 0));
  return { count: counts.reduce((sum, count) => sum + count, 0), most: Math.max(...counts), instance };
}

/** Returns what the record contains from now on. Instances that do not exist any more are not in it. */
export function recordedRestarts({ instances }: Pick<ContainerView, "instances">): Readonly<Record<string, number>> {
  return Object.fromEntries(instances.map(({ id, restarts }) => [id, restarts]));
}
