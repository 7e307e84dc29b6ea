import type { Component } from "@appserver/kernel";
import type { HooksContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { PushChannel, type PushChannelOptions } from "./push-channel.ts";
import { Refreshing } from "./refreshing.ts";

interface OpenPush {
  readonly channel: PushChannel;
  readonly close: () => void;
}

/**
 * Keeps one channel for each app whose subscriptions are POSTed to a running backend. Subscriptions and backends are read at the
 * start and after each change that {@link refreshSoon} reports.
 */
export class PushRoutes implements Component {
  readonly name = "hook push routes";
  readonly #context: HooksContext;
  readonly #dispatcher: Pick<Dispatcher, "open">;
  readonly #open = new Map<string, OpenPush>();
  readonly #refreshing: Refreshing;

  constructor(context: HooksContext, dispatcher: Pick<Dispatcher, "open">) {
    const { clock, logger } = context;
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#refreshing = new Refreshing({
      refresh: () => this.#refresh(),
      onError: (error) =>
        logger.warn({ err: error }, "hooks: could not read the backends of subscribers; sending to the last known ones"),
      clock,
    });
  }

  start(): void {
    this.#refreshing.start();
  }

  async stop(): Promise<void> {
    await this.#refreshing.stop();
    for (const { close } of this.#open.values()) close();
  }

  /** Reads the subscriptions and backends again, until that succeeds. Call it after each change of them. */
  refreshSoon(): void {
    this.#refreshing.soon();
  }

  async #refresh(): Promise<void> {
    const wanted = new Map<string, PushChannelOptions>();
    const { transport, platformKeys, forwardKeys, clock, policy, apps, subscriptions } = this.#context;
    const failed = new Map<string, unknown>();
    for (const { appName, paths } of await subscriptions.pushable()) {
      try {
        const backend = (await apps.get(appName))?.backend;
        if (!backend) continue;
        const { pushConcurrency: capacity, answerTimeoutMs: timeoutMs } = policy;
        wanted.set(appName, { appName, paths, backend, capacity, timeoutMs, platformKeys, forwardKeys, transport, clock });
      } catch (error) {
        failed.set(appName, error);
      }
    }
    for (const [appName, { channel, close }] of this.#open) {
      // The others do not wait for an app that cannot be read.
      if (failed.has(appName)) continue;
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
    const [first] = failed;
    if (first) throw new Error(`the backend of ${first[0]} could not be read`, { cause: first[1] });
  }
}
