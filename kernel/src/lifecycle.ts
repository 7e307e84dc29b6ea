import { messageOf } from "./app-error.ts";
import { type Clock, SystemClock } from "./clock.ts";
import { backoffMs } from "./concurrency/backoff.ts";
import { settledWithin } from "./concurrency/within.ts";
import { expectedError } from "./expected-error.ts";
import { StartError } from "./start-error.ts";

/** A part that starts and stops. `stop` must be safe after a failed `start` and must end within a limited time. */
export interface Component {
  readonly name: string;
  /**
   * The signal aborts when the process must stop. A start that waits then rejects soon. A start that rejects because a dependency is
   * unavailable is called again, so what it did until then must not be done twice.
   */
  start?(signal?: AbortSignal): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** The process received a request to stop while it was starting. This is not a failure. */
export class StartAbortedError extends StartError {
  override readonly name = "StartAbortedError";
}

/** Maximum wait for a start that ignores its signal. After it the component is stopped. */
const startPatienceMs = 3_000;

export interface LifecycleOptions {
  /** Called for each component that failed to stop. The others are stopped anyway. */
  readonly onError: (component: string, error: unknown) => void;
  /**
   * Called when a start failed because a dependency is unavailable. The start is repeated with back-off until it succeeds or the
   * process stops. @defaultValue such a start fails like any other
   */
  readonly onUnavailable?: (component: string, error: unknown, retryMs: number) => void;
  /** @defaultValue the system's clock */
  readonly clock?: Clock;
}

const startRetries = { firstMs: 100, maxMs: 5_000 };

interface Running {
  readonly component: Component;
  /** Resolves when the start has ended, also if it failed. */
  started: Promise<unknown>;
}

/** Starts components in the order in which a composition adds them, and stops them in the reverse order. */
export class Lifecycle {
  readonly #running: Running[] = [];
  readonly #options: LifecycleOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? new SystemClock();
  }

  /** Aborts when {@link stop} is called. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Runs `start`, which composes the process. If it fails, or if `signal` aborts first, stops all components and then rejects,
   * without waiting for `start`.
   */
  async run<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => {
      void this.stop().then(() => aborted.reject(new StartAbortedError("stopped while starting")));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([aborted.promise, start()]);
    } catch (error) {
      await this.stop();
      throw signal.aborted ? new StartAbortedError("stopped while starting") : error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Starts the component. If that fails, stops all components and rejects with the error. */
  async use<T extends Component>(component: T): Promise<T> {
    this.#refuseWhenStopping();
    const running: Running = { component, started: Promise.resolve() };
    this.#running.push(running);
    try {
      const started = this.#start(component);
      running.started = started.catch(() => {});
      await started;
    } catch (error) {
      await this.stop();
      throw error instanceof Error ? error : new Error(`${component.name} did not start: ${messageOf(error)}`);
    }
    this.#refuseWhenStopping();
    return component;
  }

  async #start(component: Component): Promise<void> {
    const { onUnavailable } = this.#options;
    for (let failures = 1; ; failures += 1) {
      try {
        return await component.start?.(this.signal);
      } catch (error) {
        if (!onUnavailable || this.signal.aborted || expectedError(error)?.code !== "SERVICE_UNAVAILABLE") throw error;
        const retryMs = backoffMs(failures, startRetries);
        onUnavailable(component.name, error, retryMs);
        await this.#clock.sleep(retryMs, this.signal);
      }
    }
  }

  /** Stops all components, including one that is starting. No component starts after this. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort(new StartAbortedError("stopped while starting"));
    for (let running = this.#running.pop(); running; running = this.#running.pop()) {
      const { component, started } = running;
      try {
        await settledWithin(started, { clock: this.#clock, ms: startPatienceMs });
        await component.stop?.();
      } catch (error) {
        this.#options.onError(component.name, error);
      }
    }
  }

  #refuseWhenStopping(): void {
    if (this.#stopped) throw new StartAbortedError("stopped while starting");
  }
}
