/** `REQUESTED`: no process makes it yet. */
export type BackupState = "REQUESTED" | "RUNNING" | "COMPLETED" | "FAILED";

/** A backup of the platform, and what became of it. */
export interface BackupRecord {
  /** UUIDv7 */
  readonly id: string;
  readonly state: BackupState;
  /** The time of the schedule. Undefined for a backup that was requested otherwise. */
  readonly dueAt?: Date | undefined;
  readonly requestedAt: Date;
  readonly finishedAt?: Date | undefined;
  /** Where the file is. */
  readonly location?: string | undefined;
  readonly bytes?: number | undefined;
  readonly error?: string | undefined;
  /** What was copied at other moments than the rest, in sentences. */
  readonly notOfOneMoment: readonly string[];
  /** When the file was last restored on trial. */
  readonly testedAt?: Date | undefined;
}
