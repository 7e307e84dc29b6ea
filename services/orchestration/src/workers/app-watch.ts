import { appsOfContainer } from "@appserver/contracts/names";
import { backoffMs, settledWithin, WakeUp } from "@appserver/kernel";
import type { Subscription } from "@appserver/kernel/ports";
import { containerLabels } from "../ports.ts";
import { appsWithNetwork } from "./app-network.ts";
import { AppReconciler } from "./app-reconciler.ts";
import type { OrchestrationContext } from "./repair-context.ts";

const sweepEveryMs = 60_000;
const retries = { firstMs: 1_000, maxMs: 30_000 };

/** Calls the functions for each request to check an app, and when requests may have been missed. */
export type ListenForRequests = (onRequest: (appName: string) => void, onMissed: () => void) => Promise<Subscription>;

/**
 * Has a reconciler for every app that is installed, recorded or running. It finds apps by reconcile requests, and by a
 * sweep at the start, every 60 s and whenever requests may have been missed (docs/interface/containers.md#reconcile-loop).
 */
export class AppWatch {
  readonly #context: OrchestrationContext;
  readonly #listen: ListenForRequests;
  readonly #reconcilers = new Map<string, AppReconciler>();
  readonly #runs = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #sweepNow: WakeUp;
  readonly #reconciled = Promise.withResolvers<void>();
  #isStartup = true;
  #listening: Subscription | undefined;
  #stopWatching: (() => void) | undefined;
  #sweeping: Promise<void> | undefined;
  #startup: Promise<void> | undefined;

  constructor(context: OrchestrationContext, listen: ListenForRequests) {
    this.#context = context;
    this.#listen = listen;
    this.#sweepNow = new WakeUp(context.clock, this.#stopping.signal);
  }

  /** Resolves when start-up reconciliation is over: no app needs a repair, or the reconcile timeout passed. */
  get reconciled(): Promise<void> {
    return this.#reconciled.promise;
  }

  async start(): Promise<void> {
    this.#listening ??= await this.#listen(
      (appName) => this.wake(appName),
      () => this.#sweepNow.wake(),
    );
    this.#stopWatching = this.#context.runtime.onChange?.((container) => {
      for (const appName of appsOfContainer(container)) this.wake(appName);
    });
    this.#sweeping = this.#sweepForever();
  }

  /** Stops all reconcilers and releases their leases. Containers keep running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopWatching?.();
    await this.#listening?.close();
    await Promise.all([this.#sweeping, this.#startup, ...this.#runs]);
    this.#reconciled.resolve();
  }

  /** Checks the app now, even if the app is unknown. */
  wake(appName: string): void {
    if (this.#stopping.signal.aborted) return;
    const reconciler = this.#reconcilers.get(appName);
    if (reconciler) reconciler.wake();
    else this.#addReconciler(appName);
  }

  #addReconciler(appName: string): AppReconciler {
    const reconciler = new AppReconciler(appName, this.#context, this.#isStartup);
    this.#reconcilers.set(appName, reconciler);
    const run = reconciler.run(this.#stopping.signal).finally(() => {
      this.#reconcilers.delete(appName);
      this.#runs.delete(run);
    });
    this.#runs.add(run);
    return reconciler;
  }

  async #sweepForever(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      this.#sweepNow.reset();
      try {
        for (const appName of await this.#appNames()) this.wake(appName);
        failures = 0;
        if (this.#isStartup) this.#startup = this.#endStartup();
        await this.#sweepNow.pause(sweepEveryMs);
      } catch (error) {
        failures += 1;
        this.#context.logger.warn(
          { err: error },
          "orchestration: could not read the installed apps; no container is changed until they can be read",
        );
        await this.#context.clock.sleep(backoffMs(failures, retries), signal).catch(() => {});
      }
    }
  }

  /** Returns the apps that should run, have a deployment record, a container of this instance, a network, data to delete, or a snapshot to take. */
  async #appNames(): Promise<ReadonlySet<string>> {
    const { apps, deployments, dataRemovals, snapshots, runtime, options, logger } = this.#context;
    const [installed, recorded, removed, copied] = await Promise.all([
      apps.all(),
      deployments.withRole(),
      dataRemovals.appNames(),
      snapshots.appNames(),
    ]);
    const containers = await runtime.list({ [containerLabels.instance]: options.instance }).catch((error: unknown) => {
      logger.warn({ err: error }, "orchestration: could not list the containers");
      return [];
    });
    const connected = await appsWithNetwork(this.#context).catch((error: unknown) => {
      logger.warn({ err: error }, "orchestration: could not list the networks of apps");
      return [];
    });
    const nameOf = new Map(recorded.map(({ appId, appName }) => [appId, appName]));
    const running = containers.map(({ labels }) => nameOf.get(labels[containerLabels.appId] ?? ""));
    return new Set([
      ...installed.filter(({ needsContainer, next }) => needsContainer || next?.needsContainer).map(({ name }) => name),
      ...recorded.filter(({ state }) => state !== "STOPPED").map(({ appName }) => appName),
      ...running.filter((name) => name !== undefined),
      ...removed,
      ...copied,
      ...connected,
    ]);
  }

  /** Called after the first successful sweep. */
  async #endStartup(): Promise<void> {
    this.#isStartup = false;
    const { clock, logger, options } = this.#context;
    const reconcilers = [...this.#reconcilers];
    const pending = new Set(reconcilers.map(([appName]) => appName));
    const resting = reconcilers.map(([appName, reconciler]) => reconciler.rested.then(() => pending.delete(appName)));
    const { signal } = this.#stopping;
    const isDone = await settledWithin(Promise.all(resting), { clock, ms: options.reconcileTimeoutMs, signal });
    if (isDone) {
      logger.info({ apps: reconcilers.length }, "orchestration: start-up reconciliation is complete");
    } else if (!signal.aborted) {
      const seconds = options.reconcileTimeoutMs / 1_000;
      logger.warn(
        { apps: [...pending], seconds },
        "orchestration: start-up reconciliation exceeded its timeout; work on these apps continues",
      );
    }
    this.#reconciled.resolve();
  }
}
