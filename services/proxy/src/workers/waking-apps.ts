import type { Clock, Logger } from "@appserver/kernel";
import type { ProxiedApps, ServingApp, Wakes } from "../ports.ts";

/** A request for a start is repeated, because the message about it may be lost. */
const repeatMs = 2_000;

export interface WakingAppsDeps {
  readonly wakes: Wakes;
  readonly installed: Pick<ProxiedApps, "refresh">;
  /** Returns whether the app is still asleep, and a request waits for it. */
  readonly isWanted: (appName: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Asks for the start of apps that are asleep, once for all requests that wait for one. */
export class WakingApps {
  readonly #deps: WakingAppsDeps;
  readonly #asked = new Set<string>();

  constructor(deps: WakingAppsDeps) {
    this.#deps = deps;
  }

  isAsked(appName: string): boolean {
    return this.#asked.has(appName);
  }

  /** Asks until the app has started or no request waits for it. */
  ask(app: ServingApp): void {
    if (this.#asked.has(app.name)) return;
    this.#asked.add(app.name);
    void this.#repeat(app).finally(() => this.#asked.delete(app.name));
  }

  async #repeat({ name, compiled: { id } }: ServingApp): Promise<void> {
    const { wakes, installed, isWanted, clock, logger } = this.#deps;
    do {
      try {
        await wakes.wake(id);
        await clock.sleep(repeatMs);
        if (isWanted(name)) await installed.refresh(name);
      } catch (error) {
        logger.warn({ err: error, app: name }, "proxy: could not ask for the start of an app; retrying");
        await clock.sleep(repeatMs);
      }
    } while (isWanted(name));
  }
}
