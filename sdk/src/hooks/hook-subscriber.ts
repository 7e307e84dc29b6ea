import type { KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AckResult,
  type HookEvent,
  type SubscribeRequest,
  SubscribeRequestSchema,
} from "@appserver/contracts/proto/appserver/v2/hooks";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Outgoing } from "../activities/outgoing.ts";
import { runInTrace } from "../current-trace.ts";
import { createPlatformClient, type PlatformClient } from "../platform-client.ts";
import { DropHook, type HookHandler, hookOf } from "./hook.ts";

export interface HookSubscriberOptions {
  /** `http://127.0.0.1:9090` (APPSERVER_GRPC_ADDRESS with its scheme). */
  readonly grpcUrl: string;
  readonly app: { readonly name: string; readonly privateKey: KeyObject };
  /** Maximum number of hooks handled concurrently in this process. Default 10. */
  readonly maxInFlight?: number;
  /** Called when a connection cannot be opened or breaks. By default the first error of an outage is printed. */
  readonly onDisconnect?: (error: unknown) => void;
  /** Called when a handler rejects; the hook is delivered again. By default the error is printed. */
  readonly onError?: (error: unknown, hookName: string) => void;
}

/** Receives an app's hooks over a stream between `start` and `stop`. Reconnects after the platform was unreachable. */
export interface HookSubscriber {
  /** Subscribes to a hook of any app or of the platform. Must be called before `start`. The last handler of a name is used. */
  onHook(name: string, handler: HookHandler): HookSubscriber;
  start(): void;
  /** Takes no new hooks and waits `graceMs` (default 5000) for active handlers. Unfinished hooks are delivered again. */
  stop(graceMs?: number): Promise<void>;
}

export function createHookSubscriber(options: HookSubscriberOptions): HookSubscriber {
  return new StreamingSubscriber(options);
}

const firstPauseMs = 200;
const maxPauseMs = 5_000;
const keepAliveMs = 15_000;
const closeTimeoutMs = 1_000;

class StreamingSubscriber implements HookSubscriber {
  readonly #options: HookSubscriberOptions;
  readonly #client: PlatformClient;
  readonly #handlers = new Map<string, HookHandler>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #isDraining = false;
  #outgoing = new Outgoing<SubscribeRequest>();
  #connection: Promise<void> | undefined;
  #running: Promise<void> | undefined;

  constructor(options: HookSubscriberOptions) {
    this.#options = options;
    this.#client = createPlatformClient({ grpcUrl: options.grpcUrl, app: options.app, keepAliveMs });
  }

  onHook(name: string, handler: HookHandler): HookSubscriber {
    if (this.#running) throw new Error(`onHook(${JSON.stringify(name)}) came after start`);
    this.#handlers.set(name, handler);
    return this;
  }

  start(): void {
    if (this.#handlers.size === 0) throw new Error("no handler is registered: call onHook before start");
    this.#running ??= this.#run();
  }

  async stop(graceMs = 5_000): Promise<void> {
    this.#isDraining = true;
    const grace = new AbortController();
    const late = sleep(graceMs, undefined, { signal: grace.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#underWay), late]);
    grace.abort();
    // Queued acknowledgements are sent first. Then the platform ends the stream.
    this.#outgoing.end();
    const patience = new AbortController();
    const unanswered = sleep(closeTimeoutMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([this.#connection?.catch(() => {}), unanswered]);
    patience.abort();
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    let failures = 0;
    while (!signal.aborted && !this.#isDraining) {
      const startedAt = performance.now();
      try {
        this.#connection = this.#connect();
        await this.#connection;
      } catch (error) {
        if (!signal.aborted) this.#report(error, failures);
      }
      if (this.#isDraining) return;
      failures = performance.now() - startedAt > maxPauseMs ? 0 : failures + 1;
      const pause = Math.min(firstPauseMs * 2 ** failures, maxPauseMs);
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  #report(error: unknown, failures: number): void {
    const { onDisconnect, app } = this.#options;
    if (onDisconnect) onDisconnect(error);
    else if (failures === 0) console.error(`hooks of ${app.name}: could not connect to the platform; retrying:`, String(error));
  }

  /** Opens one stream. Resolves or rejects when the stream ends. */
  async #connect(): Promise<void> {
    const outgoing = new Outgoing<SubscribeRequest>();
    this.#outgoing = outgoing;
    const { maxInFlight } = this.#options;
    const start = { hookNames: [...this.#handlers.keys()], ...(maxInFlight === undefined ? {} : { maxInFlight }) };
    outgoing.send(request({ case: "start", value: start }));
    try {
      const responses = this.#client.hooks.subscribe(outgoing, { signal: this.#stopped.signal });
      for await (const { event } of responses) if (event && !this.#isDraining) this.#begin(event, outgoing);
    } finally {
      outgoing.end();
    }
  }

  #begin(event: HookEvent, outgoing: Outgoing<SubscribeRequest>): void {
    const work = this.#handle(event).then((result) =>
      outgoing.send(request({ case: "ack", value: { eventId: event.id, result } })),
    );
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #handle(event: HookEvent): Promise<AckResult> {
    try {
      const hook = hookOf(event);
      await runInTrace({ traceparent: hook.traceparent }, () => this.#handlers.get(event.hookName)?.(hook));
      return AckResult.SUCCESS;
    } catch (error) {
      if (error instanceof DropHook) return AckResult.DROP;
      const { onError } = this.#options;
      if (onError) onError(error, event.hookName);
      else console.error(`${event.hookName} ${event.id} failed, attempt ${event.attempt}:`, error);
      return AckResult.RETRY;
    }
  }
}

function request(message: MessageInitShape<typeof SubscribeRequestSchema>["message"]): SubscribeRequest {
  return create(SubscribeRequestSchema, message === undefined ? {} : { message });
}
