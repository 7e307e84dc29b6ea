export type IncidentKind =
  | "APP_DOWN"
  | "BACKUP_FAILED"
  | "CERTIFICATE_EXPIRES"
  | "DATABASE_FULL"
  | "DEAD_LETTERS"
  | "DISK_FULL"
  | "UPGRADE_ROLLED_BACK";

/** Something that people have to look at (docs/interface/notifications.md#incidents). */
export interface Incident {
  /** UUIDv7. */
  readonly id: string;
  readonly kind: IncidentKind;
  readonly subject: string;
  /** Undefined if it concerns no app. */
  readonly appName: string | undefined;
  /** One sentence. */
  readonly message: string;
  readonly openedAt: Date;
  /** Undefined as long as it lasts. */
  readonly closedAt: Date | undefined;
}

/** The app that an incident concerns. */
export interface IncidentApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/** Returns an app of which only the name is known. */
export function appNamed(name: string): IncidentApp {
  return { id: "00000000-0000-0000-0000-000000000000", name, version: "0" };
}

/** What a rule sees: a reason for an incident. */
export interface Problem {
  /** Within its kind. */
  readonly subject: string;
  readonly message: string;
  readonly app?: IncidentApp | undefined;
  /** How long it has to last before it is an incident. Default: 0. */
  readonly afterMs?: number;
}

/** An incident that lasts, or a problem that may become one. */
export interface CurrentIncident extends Omit<Incident, "openedAt" | "closedAt"> {
  /** Undefined until it has lasted long enough. */
  readonly openedAt: Date | undefined;
  /** How long the problem is known. */
  readonly lastedMs: number;
}

/** What one look at the problems of a kind changes. */
export interface IncidentChanges {
  readonly noticed: readonly Problem[];
  /** Those that have lasted long enough now. */
  readonly opened: readonly { readonly current: CurrentIncident; readonly problem: Problem }[];
  readonly over: readonly CurrentIncident[];
}

/** Compares what a rule sees with what is stored of its kind. */
export function changesOf(problems: readonly Problem[], current: readonly CurrentIncident[]): IncidentChanges {
  const bySubject = new Map(current.map((each) => [each.subject, each]));
  const seen = new Map(problems.map((problem) => [problem.subject, problem]));
  return {
    noticed: [...seen.values()].filter(({ subject }) => !bySubject.has(subject)),
    opened: [...seen.values()].flatMap((problem) => {
      const known = bySubject.get(problem.subject);
      const isDue = known && known.openedAt === undefined && known.lastedMs >= (problem.afterMs ?? 0);
      return isDue ? [{ current: known, problem }] : [];
    }),
    over: current.filter(({ subject }) => !seen.has(subject)),
  };
}
