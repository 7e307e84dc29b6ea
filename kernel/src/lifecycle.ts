import { messageOf } from "./app-error.ts";

/** Something with a start and a stop. `stop` must be safe after a failed `start`, and be bounded in time. */
export interface Component {
  readonly name: string;
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** Starts components in the order added and stops those that started in the reverse order. */
export class Lifecycle {
  readonly #components: Component[] = [];
  readonly #started: Component[] = [];
  readonly #onError: (component: string, error: unknown) => void;

  /** `onError` hears of components that failed to stop; stopping goes on with the rest. */
  constructor(onError: (component: string, error: unknown) => void) {
    this.#onError = onError;
  }

  add<T extends Component>(component: T): T {
    this.#components.push(component);
    return component;
  }

  /** Starts everything. When one fails, stops what had started and rejects with the failure, naming the component. */
  async start(): Promise<void> {
    for (const component of this.#components) {
      this.#started.push(component);
      try {
        await component.start?.();
      } catch (error) {
        await this.stop();
        if (error instanceof Error) throw error;
        throw new Error(`${component.name} did not start: ${messageOf(error)}`);
      }
    }
  }

  async stop(): Promise<void> {
    for (let component = this.#started.pop(); component; component = this.#started.pop()) {
      try {
        await component.stop?.();
      } catch (error) {
        this.#onError(component.name, error);
      }
    }
  }
}
