import { type Component, messageOf, WakeUp } from "@appserver/kernel";
import type { HooksContext } from "../context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { PushCourier, type PushCourierOptions } from "./push-courier.ts";

interface OpenPush {
  readonly courier: PushCourier;
  readonly close: () => void;
}

/** Backends come and go without a word here; events of apps wake it sooner. */
const refreshMs = 15_000;

/** Keeps one courier for every app that is posted to and whose backend runs. */
export class PushRoutes implements Component {
  readonly name = "hook push routes";
  readonly #context: HooksContext;
  readonly #dispatcher: Dispatcher;
  readonly #open = new Map<string, OpenPush>();
  readonly #stopping = new AbortController();
  readonly #wakeUp: WakeUp;
  #running: Promise<void> | undefined;

  constructor(context: HooksContext, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#wakeUp = new WakeUp(context.clock, this.#stopping.signal);
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const { close } of this.#open.values()) close();
  }

  /** Subscriptions or backends changed. */
  refreshSoon(): void {
    this.#wakeUp.wake();
  }

  async #run(): Promise<void> {
    const { logger } = this.#context;
    while (!this.#stopping.signal.aborted) {
      await this.#refresh().catch((error: unknown) =>
        logger.warn(
          { reason: messageOf(error) },
          "backends that hooks are posted to could not be read; they stay as they were",
        ),
      );
      await this.#wakeUp.pause(refreshMs);
    }
  }

  async #refresh(): Promise<void> {
    const wanted = new Map<string, PushCourierOptions>();
    const { transport, platformKeys, clock, policy, apps, subscriptions } = this.#context;
    for (const { appName, paths } of await subscriptions.pushable()) {
      const backend = (await apps.get(appName))?.backend;
      if (!backend) continue;
      const { pushConcurrency: capacity, answerTimeoutMs: timeoutMs } = policy;
      wanted.set(appName, { appName, paths, backend, capacity, timeoutMs, platformKeys, transport, clock });
    }
    for (const [appName, { courier, close }] of this.#open) {
      const options = wanted.get(appName);
      if (options && courier.equals(options)) continue;
      this.#open.delete(appName);
      close();
    }
    for (const [appName, options] of wanted) {
      if (this.#open.has(appName)) continue;
      const courier = new PushCourier(options);
      this.#open.set(appName, { courier, close: this.#dispatcher.open(courier) });
    }
  }
}
