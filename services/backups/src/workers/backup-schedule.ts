import { type Clock, holdLease, type Logger, messageOf, uuidv7 } from "@appserver/kernel";
import type { BackupPlan } from "../domain/backup-record.ts";
import { lastDue } from "../domain/schedule.ts";
import type { BackupCommand } from "../ports.ts";
import { type BackupContext, failKilled } from "./run-backup.ts";

export interface BackupScheduleDeps extends BackupContext {
  readonly command: BackupCommand;
  readonly plan: BackupPlan;
  readonly logger: Logger;
}

const lease = "backup-schedule";
const leaseTtlMs = 30_000;

/** Requests the backups of the schedule, and makes what is requested. */
export class BackupSchedule {
  readonly #deps: BackupScheduleDeps;
  readonly #startedAt: Date;
  #isPlanStored = false;

  /** Throws INVALID_REQUEST for a wrong schedule. */
  constructor(deps: BackupScheduleDeps) {
    this.#deps = deps;
    this.#startedAt = new Date(deps.clock.now());
    const { schedule } = deps.plan;
    if (schedule !== undefined) lastDue(schedule, this.#startedAt);
  }

  /** Takes one turn. One replica at a time does so. Resolves when the backup that it began has ended. */
  async look(signal: AbortSignal): Promise<void> {
    const { leases, clock, records, plan } = this.#deps;
    if (!this.#isPlanStored) await records.storePlan(plan);
    this.#isPlanStored = true;
    await holdLease(leases, lease, leaseTtlMs, clock, async (held) => {
      await failKilled(this.#deps);
      await this.#request(clock);
      await this.#makeRequested(AbortSignal.any([signal, held.signal]));
    });
  }

  async #request(clock: Clock): Promise<void> {
    const {
      plan: { schedule },
      records,
    } = this.#deps;
    if (schedule === undefined) return;
    const now = new Date(clock.now());
    const dueAt = lastDue(schedule, now);
    // A platform that begins has no backup to catch up with.
    const after = (await records.lastDueAt()) ?? this.#startedAt;
    if (dueAt > after) await records.request({ id: uuidv7(now.getTime()), dueAt, requestedAt: now });
  }

  async #makeRequested(signal: AbortSignal): Promise<void> {
    const { records, command, clock, logger } = this.#deps;
    const requested = (await records.unfinished()).find(({ state }) => state === "REQUESTED");
    if (!requested) return;
    try {
      await command.run(signal);
    } catch (error) {
      // The request of a process that stops is for the next one.
      if (signal.aborted) return;
      logger.error({ err: error }, "backup: making a backup failed");
      await records.fail(requested.id, messageOf(error), new Date(clock.now()));
    }
  }
}
