import { backoffMs, type Clock, type Component, type Logger } from "@appserver/kernel";
import type { ReachableTarget } from "../../domain/targets/target.ts";
import type { TargetStore } from "../../ports.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { TargetChannel, type TargetChannelDeps } from "./target-channel.ts";

interface OpenTarget {
  readonly target: ReachableTarget;
  readonly close: () => void;
}

const retries = { firstMs: 1_000, maxMs: 15_000 };

export interface TargetRoutesDeps extends TargetChannelDeps {
  readonly targets: Pick<TargetStore, "reachable">;
  readonly dispatcher: Pick<Dispatcher, "open">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps one channel for each target that is enabled. Targets are read at the start and after each change that {@link refreshSoon} reports. */
export class TargetRoutes implements Component {
  readonly name = "notification targets";
  readonly #deps: TargetRoutesDeps;
  readonly #open = new Map<string, OpenTarget>();
  readonly #stopping = new AbortController();
  #isStarted = false;
  #isStale = false;
  #refreshing: Promise<void> | undefined;

  constructor(deps: TargetRoutesDeps) {
    this.#deps = deps;
  }

  /** The targets that are enabled, as far as this replica has read them. */
  get targets(): readonly ReachableTarget[] {
    return [...this.#open.values()].map(({ target }) => target);
  }

  start(): void {
    this.#isStarted = true;
    this.refreshSoon();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#refreshing;
    for (const { close } of this.#open.values()) close();
  }

  /** Reads the targets again, until that succeeds. */
  refreshSoon(): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#isStale = true;
    this.#refreshing ??= this.#refreshWhileStale();
  }

  async #refreshWhileStale(): Promise<void> {
    const { clock, logger } = this.#deps;
    const { signal } = this.#stopping;
    for (let failures = 0; this.#isStale && !signal.aborted; ) {
      this.#isStale = false;
      try {
        this.#apply(await this.#deps.targets.reachable());
        failures = 0;
      } catch (error) {
        this.#isStale = true;
        failures += 1;
        logger.warn({ err: error }, "hooks: could not read the notification targets; sending to the last known ones");
        await clock.sleep(backoffMs(failures, retries), signal).catch(() => {});
      }
    }
    this.#refreshing = undefined;
  }

  #apply(targets: readonly ReachableTarget[]): void {
    const wanted = new Map(targets.map((target) => [target.id, target]));
    for (const [id, { target, close }] of this.#open) {
      if (wanted.get(id)?.revision === target.revision) continue;
      this.#open.delete(id);
      close();
    }
    for (const [id, target] of wanted) {
      if (this.#open.has(id)) continue;
      const close = this.#deps.dispatcher.open(new TargetChannel(target, this.#deps));
      this.#open.set(id, { target, close });
    }
  }
}
