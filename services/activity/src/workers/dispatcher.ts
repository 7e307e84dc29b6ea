import { metricCatalogue } from "@appserver/contracts/metrics";
import { type GroupCommit, isAppError, isUuid } from "@appserver/kernel";
import { limits } from "../domain/limits.ts";
import type { Outcome } from "../domain/run-outcome.ts";
import type {
  AssignedRun,
  Assignment,
  AssignmentState,
  ProgressReport,
  ResultReport,
  WorkMessage,
  WorkOffer,
} from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { WorkSession } from "./work-session.ts";

/** Stores reports of workers, many at a time. */
export interface WorkReports {
  readonly heartbeat: GroupCommit<Assignment, AssignmentState>;
  readonly progress: GroupCommit<ProgressReport, AssignmentState>;
  readonly finish: GroupCommit<ResultReport, boolean>;
}

/** Maximum number of runs that are claimed together. */
const claimSize = 100;

/**
 * Sends waiting runs to the workers that are connected to this replica, and receives their reports. The stored attempt decides
 * which worker holds a run. The state in memory may be lost at any moment.
 */
export class Dispatcher {
  readonly #context: ActivityContext;
  readonly #reports: WorkReports;
  readonly #sessions = new Map<string, Set<WorkSession>>();
  /** Must be called when the session has ended. */
  readonly #connected = new Map<WorkSession, () => void>();
  /** Activities of each app to search for runs. Each app has one loop, so that no slot is used twice. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #loops = new Map<string, Promise<void>>();
  /** By run: resolves when its reports so far are stored, or storing them failed. */
  readonly #storing = new Map<string, Promise<unknown>>();

  constructor(context: ActivityContext, reports: WorkReports) {
    this.#context = context;
    this.#reports = reports;
  }

  open(appName: string): WorkSession {
    const session = new WorkSession(appName);
    const workers = this.#context.metrics.gauge(metricCatalogue.activityWorkers).bind({ app: appName });
    workers.add(1);
    this.#connected.set(session, () => workers.add(-1));
    const sessions = this.#sessions.get(appName) ?? new Set();
    this.#sessions.set(appName, sessions.add(session));
    return session;
  }

  /** Records that the stream has ended. Its worker may continue its runs over another stream for a while. */
  async close(session: WorkSession): Promise<void> {
    session.end();
    this.#connected.get(session)?.();
    this.#connected.delete(session);
    const sessions = this.#sessions.get(session.appName);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(session.appName);
    if (session.assignments.length === 0) return;
    // If that fails, the leases expire later.
    await this.#context.runs.disconnected(session.assignments).catch((error: unknown) => {
      this.#context.logger.warn({ err: error, app: session.appName }, "activity: could not store that a worker disconnected");
    });
  }

  /** `activities` empty means all that the app declares. Throws NOT_FOUND for one that it does not. */
  async ready(session: WorkSession, offer: WorkOffer): Promise<void> {
    const { catalogue } = this.#context;
    const declared = await catalogue.definitions(session.appName);
    const named = offer.activities.length > 0 ? offer.activities : declared.map(({ name }) => name);
    for (const name of named) await catalogue.activity(session.appName, name);
    session.offer(new Set(named), offer.slots, offer.capacity);
    this.wake(session.appName, named);
  }

  /** Yields the messages to write to the worker. Large inputs are read one at a time, when they are written. */
  async *messages(session: WorkSession): AsyncGenerator<WorkMessage> {
    for await (const message of session.messages(() => this.wake(session.appName, session.activities))) {
      if (message.kind !== "assign" || !message.assigned.isInputLarge) yield message;
      else {
        const { input } = await this.#context.runReads.values(message.assigned.run.id);
        yield { kind: "assign", assigned: { ...message.assigned, input } };
      }
    }
  }

  async heartbeat(session: WorkSession, runId: string, attempt: number | undefined): Promise<void> {
    const assignment = this.#assignment(session, runId, attempt);
    const state = assignment ? await this.#store(runId, this.#reports.heartbeat.run(assignment)) : "lost";
    this.#respond(session, runId, assignment?.attempt, state);
  }

  async progress(
    session: WorkSession,
    runId: string,
    attempt: number | undefined,
    report: { readonly progress: number; readonly stage: string },
  ): Promise<void> {
    const assignment = this.#assignment(session, runId, attempt);
    const progress = Math.min(1, Math.max(0, report.progress || 0));
    const stage = report.stage === "" ? undefined : report.stage.slice(0, limits.stageLength);
    const state = assignment
      ? await this.#store(runId, this.#reports.progress.run({ ...assignment, progress, stage }))
      : "lost";
    this.#respond(session, runId, assignment?.attempt, state);
  }

  /** Stores the result after the run's earlier reports. Otherwise these would find the run ended and report it as lost or assigned. */
  async result(session: WorkSession, runId: string, attempt: number | undefined, outcome: Outcome): Promise<void> {
    const accepted = await this.#store(runId, this.#finish(session, runId, attempt, outcome));
    session.drop(runId);
    session.send({ kind: "settled", runId, accepted });
    this.wake(session.appName, session.activities);
  }

  /** Records that the worker reports later, without this session: its attempt lasts until the timeout. */
  async defer(session: WorkSession, runId: string, attempt: number): Promise<void> {
    const assignment = { appName: session.appName, runId, attempt };
    this.#withdrawHeartbeat(assignment);
    await this.#storing.get(runId);
    await this.#store(runId, this.#context.runs.defer(assignment));
    session.drop(runId);
    this.wake(session.appName, session.activities);
  }

  /** Returns a run that did not reach its worker to the queue. */
  async release(session: WorkSession, runId: string, attempt: number): Promise<void> {
    session.drop(runId);
    await this.#context.runs.release([{ appName: session.appName, runId, attempt }]);
  }

  /** Runs assigned to workers whose streams are open on this replica. */
  get connected(): readonly Assignment[] {
    return [...this.#sessions.values()].flatMap((sessions) =>
      [...sessions].flatMap(({ isOver, assignments }) => (isOver ? [] : assignments)),
    );
  }

  /** Handles a run that was canceled, or that ended without its worker. */
  cancel(runId: string): void {
    for (const sessions of this.#sessions.values())
      for (const session of sessions) if (session.attemptOf(runId) !== undefined) session.send({ kind: "cancel", runId });
  }

  /** Notifies the loop that runs may wait, or that workers may have free capacity. */
  wake(appName: string, activities: Iterable<string>): void {
    if (!this.#sessions.has(appName)) return;
    const wanted = this.#wanted.get(appName) ?? new Set();
    for (const activity of activities) wanted.add(activity);
    this.#wanted.set(appName, wanted);
    if (this.#loops.has(appName) || wanted.size === 0) return;
    const loop = this.#hand(appName, wanted).finally(() => {
      this.#loops.delete(appName);
      if (wanted.size > 0) this.wake(appName, []);
    });
    this.#loops.set(appName, loop);
  }

  wakeAll(): void {
    for (const [appName, sessions] of this.#sessions)
      for (const session of sessions) if (session.room > 0) this.wake(appName, session.activities);
  }

  /** Ends every stream, and waits for operations in progress. */
  async stop(): Promise<void> {
    for (const sessions of this.#sessions.values()) for (const session of sessions) session.end();
    await Promise.all(this.#storing.values());
    await Promise.all(this.#loops.values());
  }

  async #finish(session: WorkSession, runId: string, attempt: number | undefined, outcome: Outcome): Promise<boolean> {
    this.#withdrawHeartbeat(this.#assignment(session, runId, attempt));
    const earlier = this.#storing.get(runId);
    if (earlier) await earlier;
    const assignment = this.#assignment(session, runId, attempt);
    return assignment ? this.#reports.finish.run({ ...assignment, outcome }) : false;
  }

  /** The result ends the attempt: a heartbeat that still waits would only write the same row once more. */
  #withdrawHeartbeat(ended: Assignment | undefined): void {
    if (ended) this.#reports.heartbeat.withdraw((waiting) => isSame(waiting, ended), "assigned");
  }

  #store<T>(runId: string, report: Promise<T>): Promise<T> {
    const all = Promise.allSettled([this.#storing.get(runId), report]);
    this.#storing.set(runId, all);
    void all.then(() => {
      if (this.#storing.get(runId) === all) this.#storing.delete(runId);
    });
    return report;
  }

  async #hand(appName: string, wanted: Set<string>): Promise<void> {
    for (const activity of wanted) {
      wanted.delete(activity);
      try {
        if (await this.#handOut(appName, activity)) wanted.add(activity);
      } catch (error) {
        // The app was just uninstalled, or the database is unreachable. The next interval tries again.
        if (!isAppError(error, "NOT_FOUND"))
          this.#context.logger.warn({ err: error, app: appName, activity }, "activity: could not send waiting runs to workers");
      }
    }
  }

  /** Returns whether more runs may wait. */
  async #handOut(appName: string, activity: string): Promise<boolean> {
    const room = this.#takers(appName, activity).reduce((sum, session) => sum + session.room, 0);
    if (room === 0) return false;
    const { app, definition } = await this.#context.catalogue.activity(appName, activity);
    if (app.isDisabled) return false;
    const limit = Math.min(room, claimSize);
    const claimed = await this.#context.runs.claim({ appName, definition, limit });
    await this.#distribute(appName, activity, claimed);
    return claimed.length === limit;
  }

  async #distribute(appName: string, activity: string, claimed: readonly AssignedRun[]): Promise<void> {
    const unplaced: Assignment[] = [];
    for (const assigned of claimed) {
      const [first, ...others] = this.#takers(appName, activity);
      const taker = others.reduce((best, session) => (best && session.room > best.room ? session : best), first);
      if (taker) taker.assign(assigned);
      else unplaced.push({ appName, runId: assigned.run.id, attempt: assigned.run.attempt });
    }
    // The stream ended while its runs were being claimed.
    if (unplaced.length > 0) await this.#context.runs.release(unplaced);
  }

  #takers(appName: string, activity: string): readonly WorkSession[] {
    return [...(this.#sessions.get(appName) ?? [])].filter((session) => session.room > 0 && session.activities.has(activity));
  }

  #assignment(session: WorkSession, runId: string, attempt: number | undefined): Assignment | undefined {
    const known = attempt ?? session.attemptOf(runId);
    return known === undefined || !isUuid(runId) ? undefined : { appName: session.appName, runId, attempt: known };
  }

  #respond(session: WorkSession, runId: string, attempt: number | undefined, state: AssignmentState): void {
    if (state !== "lost" && attempt !== undefined) session.add(runId, attempt);
    if (state !== "assigned") session.send({ kind: "cancel", runId });
  }
}

function isSame(one: Assignment, other: Assignment): boolean {
  return one.runId === other.runId && one.attempt === other.attempt && one.appName === other.appName;
}
