import { type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type { AuditLog, AuditQueue, AuditRecord, TimedAuditRecord } from "../ports.ts";
import { AuditBatch } from "./audit-batch.ts";

export interface AuditRecorderOptions {
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 1_000;
/** Different entries of one actor that one server stores in an hour: the log is kept for a year. */
const maxInHour = 2_000;
const hourMs = 3_600_000;

/**
 * Stores actions that change nothing in one statement a second (docs/interface/operations.md#audit-log). Records that are the same are one entry with their number
 * in `calls`, so that an actor in a loop writes no more than what differs. A batch that the database does not take waits for the next one.
 */
export class AuditRecorder implements Component, AuditQueue {
  readonly name = "audit recorder";
  readonly #options: AuditRecorderOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #batch = new AuditBatch();
  #hour = 0;
  #ofActorInHour = new Map<string, number>();

  constructor(options: AuditRecorderOptions) {
    this.#options = options;
  }

  add(record: AuditRecord): void {
    const timed = { ...record, at: new Date(this.#options.clock.now()) };
    if (this.#batch.add(timed, 1, this.#mayBeNew(timed))) this.#countInHour(timed.actor, 1);
  }

  start(): void {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    const onError = (error: unknown): void => this.#failed(error);
    this.#running = every({ clock, signal, intervalMs, first: "after a pause", run: () => this.#store(), onError });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#store().catch((error: unknown) => this.#failed(error));
  }

  #mayBeNew({ actor, at }: TimedAuditRecord): boolean {
    const hour = Math.floor(at.getTime() / hourMs);
    if (hour !== this.#hour) this.#ofActorInHour = new Map();
    this.#hour = hour;
    return (this.#ofActorInHour.get(actor) ?? 0) < maxInHour;
  }

  #countInHour(actor: string, count: 1 | -1): void {
    this.#ofActorInHour.set(actor, Math.max(0, (this.#ofActorInHour.get(actor) ?? 0) + count));
  }

  async #store(): Promise<void> {
    const batch = this.#batch;
    if (batch.isEmpty) return;
    if (batch.dropped > 0)
      this.#options.logger.warn({ dropped: batch.dropped }, "audit log: entries were dropped, too many waited");
    batch.dropped = 0;
    this.#batch = new AuditBatch();
    try {
      await this.#options.audit.append(batch.entries);
    } catch (error) {
      // Its entries have been counted already. What was added since then is merged into them.
      batch.append(this.#batch, (actor) => this.#countInHour(actor, -1));
      this.#batch = batch;
      throw error;
    }
  }

  #failed(error: unknown): void {
    this.#options.logger.warn({ err: error }, "audit log: storing entries failed");
  }
}
