import type { AuditRecord, TimedAuditRecord } from "../ports.ts";

/** Different entries that wait, of all actors and of one. */
const maxHeld = 1_000;
const maxOfActor = 20;
/** So many programs of one actor have an entry for what exceeds its limit. The others share one without the program. */
const maxClients = 5;

/** Records that are the same, but for their trace. */
interface Held {
  readonly record: TimedAuditRecord;
  count: number;
}

/** Entries of the audit log that wait to be stored. Records that are the same are one entry with their number. */
export class AuditBatch {
  /** How many records had no place. */
  dropped = 0;
  readonly #held = new Map<string, Held>();
  readonly #ofActor = new Map<string, number>();
  readonly #clients = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  get entries(): readonly TimedAuditRecord[] {
    return [...this.#held.values()].map(entryOf);
  }

  /**
   * Adds records that are the same. What exceeds the limit of their actor, or `mayBeNew` forbids, is counted in an entry without details. What
   * exceeds the limit of all is dropped. Returns whether there is an entry more.
   */
  add(record: TimedAuditRecord, count: number, mayBeNew: boolean): boolean {
    const { actor } = record;
    const ofActor = this.#ofActor.get(actor) ?? 0;
    const isKept = this.#held.has(keyOf(record)) || (mayBeNew && ofActor < maxOfActor);
    const kept = isKept ? record : this.#summaryOf(record);
    const key = keyOf(kept);
    const same = this.#held.get(key);
    if (same) same.count += count;
    else if (this.#held.size >= maxHeld) this.dropped += count;
    else {
      this.#held.set(key, { record: kept, count });
      this.#ofActor.set(actor, ofActor + 1);
      return true;
    }
    return false;
  }

  /** Adds the entries of a batch that began later. Calls `onMerged` with the actor of each that is no entry of its own any more. */
  append(later: AuditBatch, onMerged: (actor: string) => void): void {
    for (const { record, count } of later.#held.values()) if (!this.add(record, count, true)) onMerged(record.actor);
    this.dropped += later.dropped;
  }

  /** A program may give itself another name in each call. */
  #summaryOf({ actor, client, action, outcome, at }: TimedAuditRecord): TimedAuditRecord {
    const summary = { actor, action, target: "others", outcome, at };
    if (client === undefined) return summary;
    const clients = this.#clients.get(actor) ?? new Set();
    if (clients.size < maxClients) this.#clients.set(actor, clients.add(client));
    return clients.has(client) ? { ...summary, client } : summary;
  }
}

function keyOf({ actor, client, action, target, outcome, details }: AuditRecord): string {
  return JSON.stringify([actor, client, action, target, outcome, details]);
}

function entryOf({ record, count }: Held): TimedAuditRecord {
  return count === 1 ? record : { ...record, details: { ...record.details, calls: count } };
}
