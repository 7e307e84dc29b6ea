import { backoffMs, type Component } from "@appserver/kernel";
import type { HooksContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { PushChannel, type PushChannelOptions } from "./push-channel.ts";

interface OpenPush {
  readonly channel: PushChannel;
  readonly close: () => void;
}

const retries = { firstMs: 1_000, maxMs: 15_000 };

/**
 * Keeps one channel for each app whose subscriptions are POSTed to a running backend. Subscriptions and backends are read at the
 * start and after each change that {@link refreshSoon} reports.
 */
export class PushRoutes implements Component {
  readonly name = "hook push routes";
  readonly #context: HooksContext;
  readonly #dispatcher: Pick<Dispatcher, "open">;
  readonly #open = new Map<string, OpenPush>();
  readonly #stopping = new AbortController();
  #isStarted = false;
  #isStale = false;
  #refreshing: Promise<void> | undefined;

  constructor(context: HooksContext, dispatcher: Pick<Dispatcher, "open">) {
    this.#context = context;
    this.#dispatcher = dispatcher;
  }

  start(): void {
    this.#isStarted = true;
    this.refreshSoon();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#refreshing;
    for (const { close } of this.#open.values()) close();
  }

  /** Reads the subscriptions and backends again, until that succeeds. Call it after each change of them. */
  refreshSoon(): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#isStale = true;
    this.#refreshing ??= this.#refreshWhileStale();
  }

  async #refreshWhileStale(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#stopping;
    for (let failures = 0; this.#isStale && !signal.aborted; ) {
      this.#isStale = false;
      try {
        await this.#refresh();
        failures = 0;
      } catch (error) {
        this.#isStale = true;
        failures += 1;
        logger.warn({ err: error }, "hooks: could not read the backends of subscribers; sending to the last known ones");
        await clock.sleep(backoffMs(failures, retries), signal).catch(() => {});
      }
    }
    this.#refreshing = undefined;
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
