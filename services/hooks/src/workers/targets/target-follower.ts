import { type Clock, type Logger, PeriodicTasks } from "@appserver/kernel";
import type { ReachableTarget } from "../../domain/targets/target.ts";
import type { EventSource, TargetStore } from "../../ports.ts";

export interface TargetFollowerDeps {
  readonly targets: Pick<TargetStore, "position" | "fanOut">;
  readonly events: EventSource;
  /** The targets that are enabled. */
  readonly enabled: () => readonly ReachableTarget[];
  readonly lookMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchSize = 100;
/** Maximum deliveries to one target that wait. Further events stay in the history until there is room. */
const maxWaiting = 1_000;

/**
 * Puts the stored events into the deliveries of each target, each event once. Every replica does so: a position in the database,
 * which moves with the deliveries, decides which of them stores an event. Without targets it sends no statement.
 */
export class TargetFollower extends PeriodicTasks {
  constructor(deps: TargetFollowerDeps) {
    const { lookMs, clock, logger } = deps;
    const look = new Look(deps);
    const run = (signal: AbortSignal): Promise<void> => look.run(signal);
    super({ name: "hooks", clock, logger, tasks: [{ name: "events for targets", intervalMs: lookMs, run }] });
  }
}

class Look {
  readonly #deps: TargetFollowerDeps;
  /** By target and its revision: the newest event of the history when the target had got everything. */
  readonly #complete = new Map<string, string>();

  constructor(deps: TargetFollowerDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const enabled = this.#deps.enabled();
    if (enabled.length === 0) return this.#complete.clear();
    const [newest] = await this.#deps.events.newest({}, undefined, 1);
    if (!newest) return;
    const keys = new Set(enabled.map(keyOf));
    for (const key of this.#complete.keys()) if (!keys.has(key)) this.#complete.delete(key);
    for (const target of enabled) {
      if (signal.aborted) return;
      if (this.#complete.get(keyOf(target)) === newest.id) continue;
      await this.#follow(target, newest.id, signal).catch((error: unknown) => {
        const message = "hooks: could not store the events for a notification target; retrying";
        this.#deps.logger.warn({ err: error, target: target.id }, message);
      });
    }
  }

  async #follow(target: ReachableTarget, newest: string, signal: AbortSignal): Promise<void> {
    const { targets, events } = this.#deps;
    while (!signal.aborted) {
      const after = await targets.position(target.id, maxWaiting);
      if (after === undefined) return;
      const next = await events.following({ types: target.types }, after, batchSize);
      if (next.length > 0 && !(await targets.fanOut(target.id, after, next))) return;
      if (next.length < batchSize) {
        this.#complete.set(keyOf(target), newest);
        return;
      }
    }
  }
}

function keyOf({ id, revision }: ReachableTarget): string {
  return `${id}/${revision}`;
}
