import type { KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ActivityRun as RunMessage, WorkRequest, WorkResponse } from "@appserver/contracts/proto/appserver/v2/activity";
import { createPlatformClient, type PlatformClient } from "../platform-client.ts";
import type { ActivityHandler, ActivityOptions } from "./activity.ts";
import { HeldRun } from "./held-run.ts";
import { Outgoing } from "./outgoing.ts";
import { definitionOf, failed, workRequest } from "./work-messages.ts";

export interface ActivityWorkerOptions {
  /** `http://127.0.0.1:9090` (APPSERVER_GRPC_ADDRESS with its scheme). */
  readonly grpcUrl: string;
  readonly app: { readonly name: string; readonly privateKey: KeyObject };
  /** Maximum number of concurrent runs in this process. Default 10. */
  readonly capacity?: number;
  /** Called when a connection cannot be opened or breaks. By default the first error of an outage is printed. */
  readonly onDisconnect?: (error: unknown) => void;
}

/** Runs an app's activities between `start` and `stop`. Reconnects after the platform was unreachable. */
export interface ActivityWorker {
  /** Declares an activity and its handler. */
  activity(name: string, options: ActivityOptions, handler: ActivityHandler): ActivityWorker;
  /** Sets the handler of an activity that the manifest declares. */
  activity(name: string, handler: ActivityHandler): ActivityWorker;
  start(): void;
  /** Takes no new runs, waits `graceMs` (default 5000) for active runs, then stops them. The platform starts those again. */
  stop(graceMs?: number): Promise<void>;
}

export function createActivityWorker(options: ActivityWorkerOptions): ActivityWorker {
  return new StreamingWorker(options);
}

const heartbeatMs = 30_000;
const firstPauseMs = 250;
const maxPauseMs = 10_000;

interface Declared {
  readonly options: ActivityOptions | undefined;
  readonly handler: ActivityHandler;
}

class StreamingWorker implements ActivityWorker {
  readonly #options: ActivityWorkerOptions;
  readonly #client: PlatformClient;
  readonly #activities = new Map<string, Declared>();
  readonly #held = new Map<string, HeldRun>();
  readonly #stopped = new AbortController();
  #outgoing = new Outgoing<WorkRequest>();
  #running: Promise<void> | undefined;
  #isDraining = false;
  #onIdle: () => void = () => {};

  constructor(options: ActivityWorkerOptions) {
    this.#options = options;
    this.#client = createPlatformClient({ grpcUrl: options.grpcUrl, app: options.app, keepAliveMs: heartbeatMs / 2 });
  }

  activity(name: string, options: ActivityOptions | ActivityHandler, handler?: ActivityHandler): ActivityWorker {
    if (typeof options === "function") this.#activities.set(name, { options: undefined, handler: options });
    else if (handler) this.#activities.set(name, { options, handler });
    return this;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(graceMs = 5_000): Promise<void> {
    this.#isDraining = true;
    this.#outgoing.send(this.#ready());
    const grace = new AbortController();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#held.size === 0) resolve();
    });
    await Promise.race([idle, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => {})]);
    grace.abort();
    this.#stopped.abort();
    for (const run of this.#held.values()) run.cancel();
    this.#outgoing.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const heartbeats = setInterval(() => {
      for (const run of this.#held.values()) this.#outgoing.send(run.result ?? run.heartbeat());
    }, heartbeatMs);
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      const startedAt = performance.now();
      try {
        await this.#connect();
      } catch (error) {
        if (!this.#stopped.signal.aborted) this.#report(error, failures);
      }
      failures = performance.now() - startedAt > maxPauseMs ? 0 : failures + 1;
      const pause = Math.min(firstPauseMs * 2 ** failures, maxPauseMs);
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal: this.#stopped.signal }).catch(() => {});
    }
    clearInterval(heartbeats);
  }

  #report(error: unknown, failures: number): void {
    const { onDisconnect, app } = this.#options;
    if (onDisconnect) onDisconnect(error);
    else if (failures === 0)
      console.error(`activities of ${app.name}: could not connect to the platform; retrying:`, String(error));
  }

  /** Opens one stream. Resolves or rejects when the stream ends. */
  async #connect(): Promise<void> {
    const definitions = [...this.#activities].flatMap(([name, { options }]) => (options ? [definitionOf(name, options)] : []));
    if (definitions.length > 0) await this.#client.activities.registerActivities({ activities: definitions });
    const outgoing = new Outgoing<WorkRequest>();
    this.#outgoing = outgoing;
    // First report the runs held from an earlier stream: a heartbeat, or the result.
    for (const run of this.#held.values()) outgoing.send(run.result ?? run.heartbeat());
    outgoing.send(this.#ready());
    try {
      const responses = this.#client.activities.work(outgoing, { signal: this.#stopped.signal });
      for await (const response of responses) this.#take(response);
    } finally {
      outgoing.end();
    }
  }

  #ready(): WorkRequest {
    const capacity = this.#isDraining ? 0 : (this.#options.capacity ?? 10);
    return workRequest({ case: "ready", value: { activities: [...this.#activities.keys()], slots: capacity, capacity } });
  }

  #take({ message }: WorkResponse): void {
    if (message.case === "assign") this.#begin(message.value);
    if (message.case === "cancel") this.#held.get(message.value.runId)?.cancel();
    if (message.case === "settled") {
      this.#held.delete(message.value.runId);
      if (this.#held.size === 0) this.#onIdle();
    }
  }

  #begin(message: RunMessage): void {
    // The platform assigned the run again because it considered this worker lost. The earlier attempt no longer counts.
    this.#held.get(message.id)?.cancel();
    const run = new HeldRun(message, (request) => {
      if (this.#held.get(message.id) === run) this.#outgoing.send(request);
    });
    this.#held.set(message.id, run);
    // Send a heartbeat at once: the timeout counts from it, and without it the platform assigns the run again.
    this.#outgoing.send(run.heartbeat());
    const declared = this.#activities.get(message.activity);
    if (declared) void run.work(message, declared.handler);
    else this.#outgoing.send(failed(run, new Error(`this worker has no activity ${message.activity}`)));
  }
}
