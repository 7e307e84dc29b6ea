import { type Clock, type Logger, messageOf, uuidv7, WakeUp } from "@appserver/kernel";
import { type LogChunk, type LogRefusal, type LogSource, type LogsRequested, sourceKey } from "../domain/log-messages.ts";
import {
  type ContainerRuntime,
  type ContainerView,
  containerLabels,
  type DeploymentStore,
  type InstanceView,
} from "../ports.ts";
import { LogBuffer } from "./log-buffer.ts";

export interface LogSessionDeps {
  readonly runtime: ContainerRuntime;
  readonly deployments: Pick<DeploymentStore, "ofApp">;
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this orchestrator still owns the app's lease. */
  readonly owns: (appName: string) => boolean;
  /** Sends a chunk to a replica. A chunk whose sending fails is lost. */
  readonly send: (replica: string, appName: string, chunk: LogChunk) => Promise<void>;
}

/** Chunks that the server has not taken yet. */
const maxInFlight = 8;
const maxBufferBytes = 262_144;
const timeoutMs = 2_000;
/** Less than an engine keeps of an app that prints 10,000 lines a second. */
const maxAgeMs = 4_000;
const lookEveryMs = 1_000;
/** A server renews every 10 s (docs/interface/logs.md#messages). */
const leaseMs = 30_000;
/** A chunk that a waiting server has not received after this time is lost. */
const lostAfterMs = 5_000;

/**
 * Sends the log of an app to one replica of the server: what its containers have printed, and with `follow` what they and their
 * successors print, until the server does not renew its request, or the lease of the app is lost.
 */
export class LogSession {
  readonly id: string = uuidv7();
  readonly #deps: LogSessionDeps;
  readonly #first: LogsRequested;
  readonly #over = new AbortController();
  readonly #buffer: LogBuffer;
  readonly #sender: WakeUp;
  /** By source and start: a container that is started again is read again. */
  readonly #readings = new Map<string, Promise<void>>();
  /** Keys of readings whose start was announced, or needs no announcement. */
  readonly #announced = new Set<string>();
  /** The time of the last line of each source. */
  readonly #after = new Map<string, string>();
  #isRead = false;
  #refusal: LogRefusal | undefined;
  #number = 0;
  /** The number of lines that the sent chunks account for. */
  #told = 0;
  #taken = 0;
  #sentAt = 0;
  #renewedAt: number;

  constructor(deps: LogSessionDeps, request: LogsRequested) {
    const { clock } = deps;
    const { signal } = this.#over;
    this.#deps = deps;
    this.#first = request;
    this.#buffer = new LogBuffer({
      clock,
      signal,
      maxBytes: maxBufferBytes,
      // Without `follow` nothing new is printed, so that the engine can wait as long as the server does.
      timeoutMs: request.follow ? timeoutMs : leaseMs,
      maxAgeMs: request.follow ? maxAgeMs : Number.POSITIVE_INFINITY,
    });
    this.#sender = new WakeUp(clock, signal);
    this.#renewedAt = clock.monotonic();
    for (const [container, time] of Object.entries(request.after)) this.#after.set(container, time);
  }

  get reader(): string {
    return this.#first.reader;
  }

  /** Handles a later request of the same stream. */
  renew(request: LogsRequested): void {
    const { clock } = this.#deps;
    // Another orchestrator sends it: this one was late to notice that it lost the lease.
    const isElsewhere = request.session !== undefined && request.session !== this.id && request.session !== this.#first.session;
    if (request.isOver || isElsewhere) {
      this.end();
      return;
    }
    this.#renewedAt = clock.monotonic();
    if (request.session === this.id) this.#taken = Math.max(this.#taken, Math.min(request.taken, this.#number));
    if (request.isWaiting && clock.monotonic() - this.#sentAt > lostAfterMs) this.#taken = this.#number;
    this.#sender.wake();
  }

  end(): void {
    this.#over.abort("over");
  }

  /** Resolves when the session is over. Never rejects. */
  async run(): Promise<void> {
    const sending = this.#sendAll();
    await this.#readAll();
    await Promise.all(this.#readings.values());
    this.#isRead = true;
    this.#sender.wake();
    await sending;
    this.end();
  }

  /** Starts to read each container of the app. Resolves when no more follow. */
  async #readAll(): Promise<void> {
    const { clock, logger } = this.#deps;
    const { signal } = this.#over;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        for (const container of await this.#containers())
          for (const instance of this.#instancesOf(container)) this.#start(container, instance, isFirst);
      } catch (error) {
        logger.debug({ err: error, app: this.#first.appName }, "orchestration: could not list the containers of a log");
        this.#failed(error);
      }
      if (!this.#first.follow) return;
      await clock.sleep(lookEveryMs, signal).catch(() => {});
      if (this.#isOutdated()) this.end();
    }
  }

  #isOutdated(): boolean {
    const { clock, owns } = this.#deps;
    return clock.monotonic() - this.#renewedAt > leaseMs || !owns(this.#first.appName);
  }

  /** Returns the containers of the app that have been started, oldest first. */
  async #containers(): Promise<readonly ContainerView[]> {
    const { deployments, runtime, instance } = this.#deps;
    const { current, next, retiring } = await deployments.ofApp(this.#first.appName);
    const appId = (current ?? next ?? retiring)?.appId;
    if (appId === undefined) return [];
    const found = await runtime.list({ [containerLabels.instance]: instance, [containerLabels.appId]: appId });
    const started = found.filter(({ startedAt, status }) => startedAt !== undefined && status !== "removing");
    return started.sort((a, b) => Number(a.startedAt) - Number(b.startedAt));
  }

  /**
   * Returns those that are wanted. A container that has ended is read as one, if the engine keeps what it printed. One that starts may
   * have none yet.
   */
  #instancesOf({ instances, status }: ContainerView): readonly (InstanceView | undefined)[] {
    const { instance: wanted } = this.#first;
    if (wanted !== undefined) return instances.filter(({ id }) => id.startsWith(wanted));
    if (status === "running") return instances;
    return this.#deps.runtime.abilities.keepsOutputOfStopped ? [undefined] : [];
  }

  #start(container: ContainerView, instance: InstanceView | undefined, isFirst: boolean): void {
    const source: LogSource = {
      containerId: container.id,
      container: container.name,
      generation: Number(container.labels[containerLabels.generation] ?? 0),
      ...(instance ? { instance: instance.id } : {}),
    };
    const id = sourceKey(source);
    // An engine that restarts an instance continues its log.
    const isContinued = this.#deps.runtime.abilities.restarts === "engine";
    const startedAt = (isContinued ? undefined : instance?.startedAt) ?? container.startedAt;
    const key = `${id} ${startedAt?.getTime()}`;
    if (this.#readings.has(key)) return;
    // What the request is about has no start, nor has what another orchestrator has already sent.
    if (isFirst && (this.#after.size === 0 || this.#after.has(id))) this.#announced.add(key);
    const isStart = !this.#announced.has(key);
    this.#announced.add(key);
    const tail = isFirst && this.#after.size === 0 ? this.#first.tail : undefined;
    const reading = this.#read(source, tail, isStart).catch((error: unknown) => {
      this.#deps.logger.debug({ err: error, container: container.name }, "orchestration: a log ended with an error");
      this.#failed(error);
      // Read again, after the last line.
      this.#readings.delete(key);
    });
    this.#readings.set(key, reading);
  }

  async #read(source: LogSource, tail: number | undefined, isStart: boolean): Promise<void> {
    const { signal } = this.#over;
    const { since, follow } = this.#first;
    const { container, instance } = source;
    const after = this.#after.get(sourceKey(source));
    // With the last line that was sent: without it, lines after it may be gone, too.
    const limits = after === undefined ? { since, tail } : { since: timeBefore(after) };
    const request = instance === undefined ? { ...limits, signal } : { ...limits, follow, signal, instance };
    let isResumed = after !== undefined;
    if (isStart) await this.#buffer.add(source, [], true);
    this.#sender.wake();
    for await (const batch of this.#deps.runtime.logs(container, request)) {
      const lines = after === undefined ? batch : batch.filter(({ time }) => time > after);
      // Their number is not known.
      if (isResumed && batch[0]?.time !== after) this.#buffer.leaveOut(1);
      isResumed = false;
      if (lines.length === 0) continue;
      this.#noteTime(source, lines.at(-1)?.time);
      await this.#buffer.add(source, lines);
      this.#sender.wake();
      if (signal.aborted) return;
    }
  }

  /** A caller that does not follow gets the reason. A caller that follows gets the lines later. */
  #failed(error: unknown): void {
    if (this.#first.follow) return;
    const message = `the log of ${this.#first.appName} could not be read: ${messageOf(error)}`;
    this.#refusal = { code: "SERVICE_UNAVAILABLE", message };
  }

  #noteTime(source: LogSource, time = ""): void {
    const key = sourceKey(source);
    if (time > (this.#after.get(key) ?? "")) this.#after.set(key, time);
  }

  /** Sends what is read, as fast as the server takes it. The first chunk is empty: it shows that there is an orchestrator. */
  async #sendAll(): Promise<void> {
    const { signal } = this.#over;
    const nothing = { source: undefined, isStart: false, lines: [] };
    await this.#send({ ...nothing, before: 0, isLast: false });
    while (!signal.aborted) {
      this.#sender.reset();
      if (this.#number - this.#taken < maxInFlight) {
        const part = this.#buffer.take();
        if (part) {
          await this.#send({ ...part, isLast: false });
          continue;
        }
        if (this.#buffer.lines > this.#told) {
          // No line follows that would show how many were left out.
          await this.#send({ ...nothing, before: this.#buffer.lines, isLast: false });
          continue;
        }
        if (this.#isRead) break;
      }
      await this.#sender.pause(leaseMs, signal);
      if (this.#isOutdated()) this.end();
    }
    if (!signal.aborted) await this.#send({ ...nothing, before: this.#buffer.lines, isLast: true });
  }

  async #send(chunk: Omit<LogChunk, "stream" | "session" | "number" | "refusal">): Promise<void> {
    const { clock, logger, send } = this.#deps;
    const { stream, replica, appName } = this.#first;
    this.#number += 1;
    this.#told = chunk.before + chunk.lines.length;
    this.#sentAt = clock.monotonic();
    try {
      await send(replica, appName, {
        ...chunk,
        stream,
        session: this.id,
        number: this.#number,
        refusal: chunk.isLast ? this.#refusal : undefined,
      });
    } catch (error) {
      logger.debug({ err: error, app: appName }, "orchestration: could not send a part of a log");
      await clock.sleep(lookEveryMs, this.#over.signal).catch(() => {});
    }
  }
}

/** Returns the latest time before this one, in the form of `LogLine.time`. */
function timeBefore(time: string): string {
  const nanoseconds = Number(time.slice(20, -1));
  if (nanoseconds > 0) return `${time.slice(0, 20)}${String(nanoseconds - 1).padStart(9, "0")}Z`;
  return `${new Date(Date.parse(`${time.slice(0, 19)}Z`) - 1_000).toISOString().slice(0, 19)}.999999999Z`;
}
