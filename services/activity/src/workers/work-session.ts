import { AppError, Mailbox } from "@appserver/kernel";
import type { AssignedRun, Assignment, WorkMessage } from "../ports.ts";

/** Maximum runs that are claimed for a worker and not sent yet: one that does not read must not fill the memory. */
const maxUnsentRuns = 100;
/** Maximum messages that are not sent yet. A worker that reads has far fewer. */
const maxUnsent = 10_000;

/** One open stream of a worker: its capacity, the runs that are assigned to it, and the messages for it. */
export class WorkSession {
  readonly appName: string;
  /** Activities whose runs it accepts. */
  activities: ReadonlySet<string> = new Set();
  readonly #assigned = new Map<string, number>();
  readonly #outgoing = new Mailbox<WorkMessage>(maxUnsent);
  #unsentRuns = 0;
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
    const room = this.#capacity === undefined ? this.#slots : this.#capacity - this.#assigned.size;
    return Math.max(0, Math.min(room, maxUnsentRuns - this.#unsentRuns));
  }

  get isOver(): boolean {
    return this.#outgoing.isClosed;
  }

  get assignments(): readonly Assignment[] {
    return [...this.#assigned].map(([runId, attempt]) => ({ appName: this.appName, runId, attempt }));
  }

  attemptOf(runId: string): number | undefined {
    return this.#assigned.get(runId);
  }

  assign(assigned: AssignedRun): void {
    this.#slots -= 1;
    this.#unsentRuns += 1;
    this.add(assigned.run.id, assigned.run.attempt);
    this.send({ kind: "assign", assigned });
  }

  /** Also for a run that was sent over another stream, if its worker reconnected over this one. */
  add(runId: string, attempt: number): void {
    this.#assigned.set(runId, attempt);
  }

  drop(runId: string): void {
    this.#assigned.delete(runId);
  }

  /** Ends the stream of a worker that does not read. */
  send(message: WorkMessage): void {
    if (this.#outgoing.push(message)) return;
    this.#outgoing.clear();
    this.end(new AppError("RATE_LIMIT_EXCEEDED", `the worker has left ${maxUnsent} messages unread`));
  }

  /** Ends {@link messages} after the waiting messages. With an error, it then throws the error. */
  end(error?: unknown): void {
    this.#outgoing.close(error);
  }

  /** Yields the messages to write to the worker. Calls `onRoom` when it has room for runs again. */
  async *messages(onRoom: () => void = () => {}): AsyncGenerator<WorkMessage> {
    for await (const message of this.#outgoing) {
      if (message.kind === "assign") {
        this.#unsentRuns -= 1;
        if (this.#unsentRuns === maxUnsentRuns - 1) onRoom();
      }
      yield message;
    }
  }
}
