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
  readonly startedAt?: Date | undefined;
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

/** What the process that makes backups is configured to do. */
export interface BackupPlan {
  /** A cron expression in UTC. Undefined: only requested backups are made. */
  readonly schedule?: string | undefined;
  /** Where backups are kept. */
  readonly target?: string | undefined;
  /** Why it can make none, in one sentence that names the options. */
  readonly problem?: string | undefined;
}

/** What people have to know of the backups at first. */
export interface BackupSummary extends BackupPlan {
  readonly lastCompleted: BackupRecord | undefined;
  /** The one whose file was tested last. */
  readonly lastTested: BackupRecord | undefined;
}
