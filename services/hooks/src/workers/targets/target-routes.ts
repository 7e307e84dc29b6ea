import type { Clock, Component, Logger } from "@appserver/kernel";
import type { ReachableTarget } from "../../domain/targets/target.ts";
import type { TargetStore } from "../../ports.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { Refreshing } from "../refreshing.ts";
import { TargetChannel, type TargetChannelDeps } from "./target-channel.ts";

interface OpenTarget {
  readonly target: ReachableTarget;
  readonly close: () => void;
}

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
  readonly #refreshing: Refreshing;

  constructor(deps: TargetRoutesDeps) {
    const { targets, clock, logger } = deps;
    this.#deps = deps;
    this.#refreshing = new Refreshing({
      refresh: async () => this.#apply(await targets.reachable()),
      onError: (error) =>
        logger.warn({ err: error }, "hooks: could not read the notification targets; sending to the last known ones"),
      clock,
    });
  }

  /** The targets that are enabled, as far as this replica has read them. */
  get targets(): readonly ReachableTarget[] {
    return [...this.#open.values()].map(({ target }) => target);
  }

  start(): void {
    this.#refreshing.start();
  }

  async stop(): Promise<void> {
    await this.#refreshing.stop();
    for (const { close } of this.#open.values()) close();
  }

  /** Reads the targets again, until that succeeds. */
  refreshSoon(): void {
    this.#refreshing.soon();
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
