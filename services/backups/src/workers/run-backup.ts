import { AppError, type Clock, holdLease, messageOf, uuidv7 } from "@appserver/kernel";
import type { Leases } from "@appserver/kernel/ports";
import type { BackupRecords, BackupResult } from "../ports.ts";

export interface BackupContext {
  readonly records: BackupRecords;
  readonly leases: Leases;
  readonly clock: Clock;
}

/** A killed process holds it for this time. */
const leaseTtlMs = 30_000;
const retryMs = 1_000;
const lease = "backup";

/**
 * Makes a backup with `work`, as the requested one if there is a request, and records what became of it. Throws CONFLICT if another
 * one is made for longer than `patienceMs`: a killed process seems to make one for a while. Rejects with the error of `work`.
 */
export async function runBackup<T extends BackupResult>(
  { records, leases, clock }: BackupContext,
  work: (signal: AbortSignal) => Promise<T>,
  patienceMs = 0,
): Promise<T> {
  for (const deadline = clock.monotonic() + patienceMs; ; await clock.sleep(retryMs)) {
    const done = await holdLease(leases, lease, leaseTtlMs, clock, ({ signal }) =>
      recorded(records, clock, () => work(signal)),
    );
    if (done.held) return done.value;
    if (clock.monotonic() >= deadline) throw new AppError("CONFLICT", "another backup of this platform is being made");
  }
}

/** For the holder of the lease. */
async function recorded<T extends BackupResult>(records: BackupRecords, clock: Clock, work: () => Promise<T>): Promise<T> {
  const now = (): Date => new Date(clock.now());
  await endKilled(records, now());
  const id = await records.begin(uuidv7(clock.now()), now());
  try {
    const result = await work();
    await records.complete(id, result, now());
    return result;
  } catch (error) {
    await records.fail(id, messageOf(error), now());
    throw error;
  }
}

/** Makes a backup FAILED whose process has ended, if no process makes one now. */
export async function failKilled({ records, leases, clock }: BackupContext): Promise<void> {
  const left = await records.unfinished();
  if (!left.some(({ state }) => state === "RUNNING")) return;
  await holdLease(leases, lease, leaseTtlMs, clock, () => endKilled(records, new Date(clock.now())));
}

/** Only the holder of the lease can be sure that no process makes these. */
async function endKilled(records: BackupRecords, at: Date): Promise<void> {
  for (const { id, state } of await records.unfinished())
    if (state === "RUNNING") await records.fail(id, "its process ended before the backup was complete", at);
}
