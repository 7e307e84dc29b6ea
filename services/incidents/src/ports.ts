import type { EventHistory } from "@appserver/kernel/ports";
import type { CurrentIncident, Incident, IncidentApp, IncidentKind, Problem } from "./domain/incident.ts";

/** Sees the problems of one kind that exist now. */
export interface IncidentRule {
  readonly kind: IncidentKind;
  /**
   * `open`: the subjects of its incidents that last, so that a rule may end one later than it began. Rejects if the problems cannot be
   * found out: then nothing begins and nothing ends.
   */
  problems(open: ReadonlySet<string>): Promise<readonly Problem[]>;
  /** The sentence that says that an incident is over. */
  over(subject: string): string;
}

/** The published events, of which some are the beginning or the end of an incident. */
export type EventSource = Pick<EventHistory, "newest" | "following">;

/** What an event means for incidents. */
export interface EventMeaning {
  readonly kind: IncidentKind;
  readonly subject: string;
  /** `opens` what lasts until an event that `closes` it. `passes`: over as soon as it begins. */
  readonly effect: "opens" | "closes" | "passes";
  readonly message: string;
  readonly app?: IncidentApp | undefined;
}

export interface IncidentFilter {
  /** Undefined: both. */
  readonly isOpen?: boolean | undefined;
}

/** Stores incidents. A change and its event are in one transaction; a change that another process has made is none. */
export interface IncidentStore {
  /** Returns what lasts of a kind, and what may become an incident. */
  current(): Promise<readonly CurrentIncident[]>;
  /** Stores a problem, and opens an incident at once if it need not last. */
  notice(kind: IncidentKind, problem: Problem): Promise<void>;
  open(current: CurrentIncident, problem: Problem): Promise<void>;
  /** Ends an incident, or forgets a problem that was none yet. */
  close(current: CurrentIncident, message: string): Promise<void>;
  /** Returns the position in the history. Stores `first` if there is none. */
  position(first: string): Promise<string>;
  /** Applies what events mean, and moves the position, in one transaction. Changes nothing if the position is not `after` any more. */
  apply(after: string, last: string, meanings: readonly EventMeaning[]): Promise<void>;
  /** Returns incidents: those that last first, each part newest first. */
  list(filter: IncidentFilter, limit: number, before: string | undefined): Promise<readonly Incident[]>;
  count(filter: IncidentFilter): Promise<number>;
}

/** An app, as the rules see it. */
export interface WatchedApp extends IncidentApp {
  readonly state: string;
  readonly isEnabled: boolean;
  readonly problem: string | undefined;
}

/** A space with a limit. */
export interface MeasuredSpace {
  /** What people call it: a folder. */
  readonly name: string;
  readonly usedBytes: number;
  /** 0: there is no limit. */
  readonly limitBytes: number;
  readonly app?: IncidentApp | undefined;
}

/** A certificate of the platform. */
export interface MeasuredCertificate {
  readonly name: string;
  readonly endsAt: Date;
}

/** A receiver with deliveries that were given up. */
export interface DeadLetterHolder {
  /** An app, or the name of a notification target. */
  readonly name: string;
  readonly isApp: boolean;
}

/** What the rules look at. Each rejects if it cannot be found out. */
export interface Observed {
  readonly apps: () => readonly WatchedApp[];
  readonly certificates: () => Promise<readonly MeasuredCertificate[]>;
  /** Disks of the platform's own folders. */
  readonly disks: () => Promise<readonly MeasuredSpace[]>;
  /** Databases of apps. */
  readonly databases: () => Promise<readonly MeasuredSpace[]>;
  readonly deadLetters: () => Promise<readonly DeadLetterHolder[]>;
}
