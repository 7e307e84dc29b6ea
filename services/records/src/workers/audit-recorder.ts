import { type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type { AuditLog, AuditQueue, AuditRecord, TimedAuditRecord } from "../ports.ts";

export interface AuditRecorderOptions {
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 1_000;
/** Different entries that wait. */
const maxHeld = 1_000;
/** Different entries of one actor that wait, and that one server stores in an hour: the log is kept for a year. */
const maxOfActor = 20;
const maxInHour = 2_000;
const hourMs = 3_600_000;

/** Records that are the same, but for their trace. */
interface Held {
  readonly record: TimedAuditRecord;
  count: number;
}

/**
 * Stores actions that change nothing in one statement a second (docs/interface/operations.md#audit-log). Records that are the same are one entry with their number
 * in `calls`, so that an actor in a loop writes no more than what differs. A batch that the database does not take waits for the next one.
 */
export class AuditRecorder implements Component, AuditQueue {
  readonly name = "audit recorder";
  readonly #options: AuditRecorderOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #held = new Map<string, Held>();
  #ofActor = new Map<string, number>();
  #hour = 0;
  #ofActorInHour = new Map<string, number>();
  #dropped = 0;

  constructor(options: AuditRecorderOptions) {
    this.#options = options;
  }

  add(record: AuditRecord): void {
    this.#hold({ ...record, at: new Date(this.#options.clock.now()) }, 1);
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

  /** What exceeds the limit of an actor is counted in one entry without details. What exceeds the limit of all is dropped. */
  #hold(record: TimedAuditRecord, count: number): void {
    const { actor } = record;
    const own = keyOf(record);
    const isKept = this.#held.has(own) || this.#mayAdd(record);
    const kept = isKept ? record : withoutDetails(record);
    const key = isKept ? own : keyOf(kept);
    const same = this.#held.get(key);
    if (same) same.count += count;
    else if (this.#held.size >= maxHeld) this.#dropped += count;
    else {
      this.#held.set(key, { record: kept, count });
      for (const counts of [this.#ofActor, this.#ofActorInHour]) counts.set(actor, (counts.get(actor) ?? 0) + 1);
    }
  }

  #mayAdd({ actor, at }: TimedAuditRecord): boolean {
    const hour = Math.floor(at.getTime() / hourMs);
    if (hour !== this.#hour) this.#ofActorInHour = new Map();
    this.#hour = hour;
    return (this.#ofActor.get(actor) ?? 0) < maxOfActor && (this.#ofActorInHour.get(actor) ?? 0) < maxInHour;
  }

  async #store(): Promise<void> {
    if (this.#held.size === 0) return;
    const held = [...this.#held.values()];
    if (this.#dropped > 0)
      this.#options.logger.warn({ dropped: this.#dropped }, "audit log: entries were dropped, too many waited");
    this.#dropped = 0;
    this.#held = new Map();
    this.#ofActor = new Map();
    try {
      await this.#options.audit.append(held.map(entryOf));
    } catch (error) {
      for (const { record, count } of held) this.#hold(record, count);
      throw error;
    }
  }

  #failed(error: unknown): void {
    this.#options.logger.warn({ err: error }, "audit log: storing entries failed");
  }
}

function keyOf({ actor, client, action, target, outcome, details }: AuditRecord): string {
  return JSON.stringify([actor, client, action, target, outcome, details]);
}

function withoutDetails({ actor, action, outcome, at }: TimedAuditRecord): TimedAuditRecord {
  return { actor, action, target: "others", outcome, at };
}

function entryOf({ record, count }: Held): TimedAuditRecord {
  return count === 1 ? record : { ...record, details: { ...record.details, calls: count } };
}
