import { Mailbox } from "@appserver/kernel";
import type { AssignedRun, Assignment, WorkMessage } from "../ports.ts";

/** One open stream of a worker: its capacity, the runs that it holds, and the messages for it. */
export class WorkSession {
  readonly appName: string;
  /** Activities whose runs it accepts. */
  activities: ReadonlySet<string> = new Set();
  readonly #held = new Map<string, number>();
  readonly #outgoing = new Mailbox<WorkMessage>();
  #slots = 0;
  #capacity: number | undefined;

  constructor(appName: string) {
    this.appName = appName;
  }

  /** `slots`: number of runs that it accepts now. `capacity`, if given: maximum number of runs at any time. */
  offer(activities: ReadonlySet<string>, slots: number, capacity: number | undefined): void {
    this.activities = activities;
    this.#slots = slots;
    this.#capacity = capacity;
  }

  /** Number of runs that it can accept now. */
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

  /** Also for a run that was sent over another stream, if its worker reconnected over this one. */
  hold(runId: string, attempt: number): void {
    this.#held.set(runId, attempt);
  }

  drop(runId: string): void {
    this.#held.delete(runId);
  }

  send(message: WorkMessage): void {
    this.#outgoing.push(message);
  }

  /** Ends {@link messages} after the waiting messages. With an error, it then throws the error. */
  end(error?: unknown): void {
    this.#outgoing.close(error);
  }

  /** Yields the messages to write to the worker. */
  messages(): AsyncIterable<WorkMessage> {
    return this.#outgoing;
  }
}
