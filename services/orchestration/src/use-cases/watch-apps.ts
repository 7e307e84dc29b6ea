import { appOfContainer } from "@appserver/contracts/names";
import { backoffMs, settledWithin, WakeUp } from "@appserver/kernel";
import { containerLabels } from "../ports.ts";
import { AppKeeper } from "./app-keeper.ts";
import type { OrchestrationContext } from "./workbench.ts";

const sweepEveryMs = 60_000;
const retries = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Has a keeper for every app that is installed, recorded or running. It finds apps by hints, and by a sweep at the start,
 * every 60 s and whenever hints may have been missed (docs/interface/containers.md#reconcile-loop).
 */
export class AppWatch {
  readonly #context: OrchestrationContext;
  readonly #keepers = new Map<string, AppKeeper>();
  readonly #runs = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #sweepNow: WakeUp;
  readonly #reconciled = Promise.withResolvers<void>();
  #isStartup = true;
  #hearing: { close(): Promise<void> } | undefined;
  #forgetExits: (() => void) | undefined;
  #sweeping: Promise<void> | undefined;
  #startup: Promise<void> | undefined;

  constructor(context: OrchestrationContext) {
    this.#context = context;
    this.#sweepNow = new WakeUp(context.clock, this.#stopping.signal);
  }

  /** Resolves when start-up reconciliation is over: all apps at rest, or the reconcile timeout passed. */
  get reconciled(): Promise<void> {
    return this.#reconciled.promise;
  }

  async start(): Promise<void> {
    this.#hearing = await this.#context.hints.listen(
      (appName) => this.hint(appName),
      () => this.#sweepNow.wake(),
    );
    this.#forgetExits = this.#context.runtime.onExit?.((container) => {
      const appName = appOfContainer(container);
      if (appName !== undefined) this.hint(appName);
    });
    this.#sweeping = this.#sweepForever();
  }

  /** Ends all keepers and gives their leases back; containers go on running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#forgetExits?.();
    await this.#hearing?.close();
    await Promise.all([this.#sweeping, this.#startup, ...this.#runs]);
    this.#reconciled.resolve();
  }

  /** Look at the app now, whatever is known of it. */
  hint(appName: string): void {
    if (this.#stopping.signal.aborted) return;
    const keeper = this.#keepers.get(appName);
    if (keeper) keeper.hint();
    else this.#keep(appName);
  }

  #keep(appName: string): AppKeeper {
    const keeper = new AppKeeper(appName, this.#context, this.#isStartup);
    this.#keepers.set(appName, keeper);
    const run = keeper.run(this.#stopping.signal).finally(() => {
      this.#keepers.delete(appName);
      this.#runs.delete(run);
    });
    this.#runs.add(run);
    return keeper;
  }

  async #sweepForever(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      this.#sweepNow.reset();
      try {
        for (const appName of await this.#appNames()) this.hint(appName);
        failures = 0;
        if (this.#isStartup) this.#startup = this.#endStartup();
        await this.#sweepNow.pause(sweepEveryMs);
      } catch (error) {
        failures += 1;
        this.#context.logger.warn({ err: error }, "cannot tell what should run; nothing is changed until it can be told");
        await this.#context.clock.sleep(backoffMs(failures, retries), signal).catch(() => {});
      }
    }
  }

  /** Apps that should run, that we have records of, and whose containers of ours are there. */
  async #appNames(): Promise<ReadonlySet<string>> {
    const { apps, deployments, runtime, options, logger } = this.#context;
    const [installed, recorded] = await Promise.all([apps.all(), deployments.list()]);
    const containers = await runtime.list({ [containerLabels.instance]: options.instance }).catch((error: unknown) => {
      logger.warn({ err: error }, "cannot list containers");
      return [];
    });
    const nameOf = new Map(recorded.map(({ appId, appName }) => [appId, appName]));
    const running = containers.map(({ labels }) => nameOf.get(labels[containerLabels.appId] ?? ""));
    return new Set([
      ...installed.filter(({ needsContainer }) => needsContainer).map(({ name }) => name),
      ...recorded.filter(({ state }) => state !== "STOPPED").map(({ appName }) => appName),
      ...running.filter((name) => name !== undefined),
    ]);
  }

  /** After the first sweep that succeeded. */
  async #endStartup(): Promise<void> {
    this.#isStartup = false;
    const { clock, logger, options } = this.#context;
    const keepers = [...this.#keepers];
    const busy = new Set(keepers.map(([appName]) => appName));
    const resting = keepers.map(([appName, keeper]) => keeper.rested.then(() => busy.delete(appName)));
    const { signal } = this.#stopping;
    const isDone = await settledWithin(Promise.all(resting), { clock, ms: options.reconcileTimeoutMs, signal });
    if (isDone) {
      logger.info({ apps: keepers.length }, "start-up reconciliation is done");
    } else if (!signal.aborted) {
      const seconds = options.reconcileTimeoutMs / 1_000;
      logger.warn({ apps: [...busy], seconds }, "start-up reconciliation passed its timeout; these apps are still worked on");
    }
    this.#reconciled.resolve();
  }
}
