import { type Component, WakeUp } from "@appserver/kernel";
import type { HooksContext } from "../context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { PushChannel, type PushChannelOptions } from "./push-channel.ts";

interface OpenPush {
  readonly channel: PushChannel;
  readonly close: () => void;
}

/** Changes of backends send no event to this service, so they are read again after this time. */
const refreshMs = 15_000;

/** Keeps one channel for each app whose subscriptions are POSTed to a running backend. */
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

  /** Reads the subscriptions and backends again. Call it after a change. */
  refreshSoon(): void {
    this.#wakeUp.wake();
  }

  async #run(): Promise<void> {
    const { logger } = this.#context;
    while (!this.#stopping.signal.aborted) {
      await this.#refresh().catch((error: unknown) =>
        logger.warn({ err: error }, "hooks: could not read the backends of subscribers; sending to the last known ones"),
      );
      await this.#wakeUp.pause(refreshMs);
    }
  }

  async #refresh(): Promise<void> {
    const wanted = new Map<string, PushChannelOptions>();
    const { transport, platformKeys, clock, policy, apps, subscriptions } = this.#context;
    for (const { appName, paths } of await subscriptions.pushable()) {
      const backend = (await apps.get(appName))?.backend;
      if (!backend) continue;
      const { pushConcurrency: capacity, answerTimeoutMs: timeoutMs } = policy;
      wanted.set(appName, { appName, paths, backend, capacity, timeoutMs, platformKeys, transport, clock });
    }
    for (const [appName, { channel, close }] of this.#open) {
      const options = wanted.get(appName);
      if (options && channel.equals(options)) continue;
      this.#open.delete(appName);
      close();
    }
    for (const [appName, options] of wanted) {
      if (this.#open.has(appName)) continue;
      const channel = new PushChannel(options);
      this.#open.set(appName, { channel, close: this.#dispatcher.open(channel) });
    }
  }
}
