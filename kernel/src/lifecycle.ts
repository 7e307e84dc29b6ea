import { messageOf } from "./app-error.ts";
import { SystemClock } from "./clock.ts";
import { settledWithin } from "./concurrency/within.ts";
import { StartError } from "./start-error.ts";

/** Something with a start and a stop. `stop` must be safe after a failed `start`, and be bounded in time. */
export interface Component {
  readonly name: string;
  /** The signal aborts when the process is to stop: a start that waits then rejects soon. */
  start?(signal?: AbortSignal): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** The process was asked to stop while it was starting; not a failure. */
export class StartAbortedError extends StartError {
  override readonly name = "StartAbortedError";
}

/** A start under way that does not heed its signal is waited for no longer than this before its component is stopped. */
const startPatienceMs = 3_000;

interface Running {
  readonly component: Component;
  /** Settles, without failing, when the start has ended. */
  started: Promise<unknown>;
}

/** Starts components one after the other as a composition reaches them, and stops them in the reverse order. */
export class Lifecycle {
  readonly #running: Running[] = [];
  readonly #onError: (component: string, error: unknown) => void;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  /** `onError` hears of components that failed to stop; stopping goes on with the rest. */
  constructor(onError: (component: string, error: unknown) => void) {
    this.#onError = onError;
  }

  /** Aborts as soon as {@link stop} is called. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Runs `start`, which composes the process. When it fails, or `signal` aborts first, stops what runs and rejects once that
   * has stopped; whatever `start` still waits for is not waited for then.
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

  /** Starts the component. When it fails, stops everything that runs and rejects with the failure. */
  async use<T extends Component>(component: T): Promise<T> {
    this.#refuseWhenStopping();
    const running: Running = { component, started: Promise.resolve() };
    this.#running.push(running);
    try {
      const started = Promise.resolve(component.start?.(this.signal));
      running.started = started.catch(() => {});
      await started;
    } catch (error) {
      await this.stop();
      throw error instanceof Error ? error : new Error(`${component.name} did not start: ${messageOf(error)}`);
    }
    this.#refuseWhenStopping();
    return component;
  }

  /** Stops everything, also what is starting just now. After it nothing starts any more. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort(new StartAbortedError("stopped while starting"));
    for (let running = this.#running.pop(); running; running = this.#running.pop()) {
      const { component, started } = running;
      try {
        await settledWithin(started, { clock: new SystemClock(), ms: startPatienceMs });
        await component.stop?.();
      } catch (error) {
        this.#onError(component.name, error);
      }
    }
  }

  #refuseWhenStopping(): void {
    if (this.#stopped) throw new StartAbortedError("stopped while starting");
  }
}
