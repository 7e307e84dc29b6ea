import { Mailbox } from "@appserver/kernel";
import type { AssignedRun, Assignment, WorkMessage } from "../ports.ts";

/** One open stream of a worker: what it can take, what it holds, and what it has to be told. */
export class WorkSession {
  readonly appName: string;
  /** Activities that it takes runs of. */
  activities: ReadonlySet<string> = new Set();
  readonly #held = new Map<string, number>();
  readonly #outgoing = new Mailbox<WorkMessage>();
  #slots = 0;
  #capacity: number | undefined;

  constructor(appName: string) {
    this.appName = appName;
  }

  /** `slots` runs now, or where `capacity` is given, so many at any time. */
  offer(activities: ReadonlySet<string>, slots: number, capacity: number | undefined): void {
    this.activities = activities;
    this.#slots = slots;
    this.#capacity = capacity;
  }

  /** Runs that it can take now. */
  get room(): number {
    if (this.isOver) return 0;
    return Math.max(0, this.#capacity === undefined ? this.#slots : this.#capacity - this.#held.size);
  }

  get isOver(): boolean {
    return this.#outgoing.isClosed;
  }

  get held(): readonly Assignment[] {
    return [...this.#held].map(([runId, attempt]) => ({ appName: this.appName, runId, attempt }));
  }

  attemptOf(runId: string): number | undefined {
    return this.#held.get(runId);
  }

  assign(assigned: AssignedRun): void {
    this.#slots -= 1;
    this.hold(assigned.run.id, assigned.run.attempt);
    this.send({ kind: "assign", assigned });
  }

  /** Also of a run that another stream had been given: its worker came back over this one. */
  hold(runId: string, attempt: number): void {
    this.#held.set(runId, attempt);
  }

  drop(runId: string): void {
    this.#held.delete(runId);
  }

  send(message: WorkMessage): void {
    this.#outgoing.push(message);
  }

  /** Ends what {@link messages} yields, once all is out; with an error, by throwing it. */
  end(error?: unknown): void {
    this.#outgoing.close(error);
  }

  /** For the one who writes to the worker. */
  messages(): AsyncIterable<WorkMessage> {
    return this.#outgoing;
  }
}
