import type { PodUse } from "./pod-metrics.ts";

interface ProcessorTime {
  seconds: number;
  /** Until when the use of each pod is counted, in seconds since 1970. */
  counted: ReadonlyMap<string, number>;
  /** Since when its container runs: a later start begins at 0. */
  readonly startedAt: string;
}

/** The most that one rate stands for. What is between two measurements further apart is not known, and not counted. */
const maxGapSeconds = 60;

/**
 * Adds up the rates that the cluster reports to the processor time of each container, from the first measurement on. A pod that ends
 * takes nothing away.
 */
export class ProcessorTimes {
  /** By the name of the Deployment. */
  readonly #times = new Map<string, ProcessorTime>();

  /** Counts what the pods of a container used, each measurement once. Returns the processor time since its start, in seconds. */
  count(object: string, startedAt: string, uses: ReadonlyMap<string, PodUse>): number {
    const known = this.#times.get(object);
    const time = known?.startedAt === startedAt ? known : { seconds: 0, counted: new Map<string, number>(), startedAt };
    const counted = new Map<string, number>();
    for (const [pod, { at, windowSeconds, processors }] of uses) {
      const from = time.counted.get(pod) ?? at - windowSeconds;
      time.seconds += processors * Math.min(Math.max(0, at - from), maxGapSeconds);
      counted.set(pod, Math.max(from, at));
    }
    time.counted = counted;
    this.#times.set(object, time);
    return time.seconds;
  }

  /** Forgets a container that does not run, or that no longer exists. */
  forget(object: string): void {
    this.#times.delete(object);
  }

  /** Forgets the containers that no longer exist. */
  keep(objects: ReadonlySet<string>): void {
    for (const object of this.#times.keys()) if (!objects.has(object)) this.#times.delete(object);
  }
}
