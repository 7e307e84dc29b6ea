import { type Clock, type Logger, uuidv7 } from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import {
  type LogChunk,
  type LogsRequested,
  logChunkBody,
  logChunkType,
  logsRequested,
  readLogsRequested,
} from "../domain/log-messages.ts";
import { refusalOfReader } from "../domain/log-share.ts";
import { LogSession, type LogSessionDeps } from "./log-session.ts";

export interface LogSenderDeps extends Omit<LogSessionDeps, "send"> {
  readonly broker: Pick<Broker, "publish" | "observe">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `/appserver/<instance>` */
  readonly source: string;
}

/** Sends the logs that servers request, of the apps whose lease this orchestrator holds. */
export class LogSender {
  readonly #deps: LogSenderDeps;
  /** By id of the stream. */
  readonly #sessions = new Map<string, LogSession>();
  readonly #runs = new Set<Promise<void>>();
  #subscription: Subscription | undefined;

  constructor(deps: LogSenderDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#deps.broker.observe([logsRequested], ({ body }) => {
      const request = readLogsRequested(body);
      if (request) this.#requested(request);
    });
  }

  async stop(): Promise<void> {
    await this.#subscription?.close();
    for (const session of this.#sessions.values()) session.end();
    await Promise.all(this.#runs);
  }

  #requested(request: LogsRequested): void {
    const session = this.#sessions.get(request.stream);
    if (session) {
      session.renew(request);
      return;
    }
    if (request.isOver || !this.#deps.owns(request.appName)) return;
    const present = [...this.#sessions.values()].map(({ reader }) => reader);
    const refusal = refusalOfReader(present, request.reader);
    if (refusal === undefined) this.#open(request);
    else this.#track(this.#refuse(request, refusal));
  }

  #open(request: LogsRequested): void {
    const send = (replica: string, appName: string, chunk: LogChunk): Promise<void> => this.#send(replica, appName, chunk);
    const session = new LogSession({ ...this.#deps, send }, request);
    this.#sessions.set(request.stream, session);
    this.#track(session.run().finally(() => this.#sessions.delete(request.stream)));
  }

  async #refuse({ stream, replica, appName }: LogsRequested, message: string): Promise<void> {
    const refusal = { code: "RATE_LIMIT_EXCEEDED" as const, message };
    const nothing = { source: undefined, isStart: false, lines: [], before: 0, number: 1, isLast: true };
    await this.#send(replica, appName, { ...nothing, stream, session: uuidv7(), refusal }).catch(() => {});
  }

  async #send(replica: string, appName: string, chunk: LogChunk): Promise<void> {
    const { broker, clock, source } = this.#deps;
    const time = new Date(clock.now()).toISOString();
    const type = logChunkType(replica);
    await broker.publish([{ id: uuidv7(), type, source, subject: appName, time, body: logChunkBody(chunk) }]);
  }

  #track(run: Promise<void>): void {
    const tracked = run.finally(() => this.#runs.delete(tracked));
    this.#runs.add(tracked);
  }
}
