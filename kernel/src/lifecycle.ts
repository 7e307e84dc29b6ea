import { messageOf } from "./app-error.ts";

/** Something with a start and a stop. `stop` must be safe after a failed `start`, and be bounded in time. */
export interface Component {
  readonly name: string;
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** Starts components one after the other as a composition reaches them, and stops them in the reverse order. */
export class Lifecycle {
  readonly #running: Component[] = [];
  readonly #onError: (component: string, error: unknown) => void;

  /** `onError` hears of components that failed to stop; stopping goes on with the rest. */
  constructor(onError: (component: string, error: unknown) => void) {
    this.#onError = onError;
  }

  /** Starts the component. When it fails, stops everything that runs and rejects with the failure. */
  async use<T extends Component>(component: T): Promise<T> {
    this.#running.push(component);
    try {
      await component.start?.();
      return component;
    } catch (error) {
      await this.stop();
      throw error instanceof Error ? error : new Error(`${component.name} did not start: ${messageOf(error)}`);
    }
  }

  async stop(): Promise<void> {
    for (let component = this.#running.pop(); component; component = this.#running.pop()) {
      try {
        await component.stop?.();
      } catch (error) {
        this.#onError(component.name, error);
      }
    }
  }
}
