import { eventTypesAffecting, readEventApp } from "@appserver/contracts/events";
import { type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import type { LiveApps } from "./live-apps.ts";

/** An event may be lost while the broker is unreachable. The app's change is then noticed after this time. */
const checkMs = 5_000;

export interface AppWatchDeps {
  readonly apps: LiveApps;
  readonly broker: Pick<Broker, "observe">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps {@link LiveApps} current: by every event that affects an app, and by a periodic check for events that were lost. */
export class AppWatch implements Component {
  readonly name = "live apps";
  readonly #deps: AppWatchDeps;
  readonly #stopped = new AbortController();
  #subscription: Subscription | undefined;
  #checking: Promise<void> | undefined;

  constructor(deps: AppWatchDeps) {
    this.#deps = deps;
  }

  /** Rejects if the apps cannot be read: nothing can be served without them. */
  async start(): Promise<void> {
    const { apps, broker, clock, logger } = this.#deps;
    // First, so that no change falls between the read and the subscription.
    this.#subscription = await broker.observe(eventTypesAffecting("apps"), ({ body }) => {
      const { name } = readEventApp(body);
      if (name === undefined) return;
      apps
        .refresh(name)
        .catch((error: unknown) => logger.warn({ err: error, app: name }, "marketplace: could not read a changed app"));
    });
    await apps.refreshAll();
    this.#checking = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: checkMs,
      first: "after a pause",
      run: () => apps.refreshIfChanged(),
      onError: (error) => logger.warn({ err: error }, "marketplace: could not read the apps; using the last known ones"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#subscription?.close();
    await this.#checking;
  }
}
