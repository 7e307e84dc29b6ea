import { type GroupCommit, isAppError, isUuid } from "@appserver/kernel";
import { limits } from "../domain/limits.ts";
import type { Outcome } from "../domain/run-outcome.ts";
import type { AssignedRun, Assignment, AssignmentState, ProgressReport, ResultReport, WorkOffer } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { WorkSession } from "./work-session.ts";

/** What workers report, each stored many at a time. */
export interface WorkReports {
  readonly heartbeat: GroupCommit<Assignment, AssignmentState>;
  readonly progress: GroupCommit<ProgressReport, AssignmentState>;
  readonly settle: GroupCommit<ResultReport, boolean>;
}

/** Runs taken out of a queue at once. */
const claimSize = 100;

/**
 * Hands waiting runs to the workers connected to this replica, and takes their reports. What decides who holds a run is
 * the stored attempt; everything here may be lost at any moment.
 */
export class Dispatcher {
  readonly #context: ActivityContext;
  readonly #reports: WorkReports;
  readonly #sessions = new Map<string, Set<WorkSession>>();
  /** To be called when the session is over. */
  readonly #connected = new Map<WorkSession, () => void>();
  /** Activities of each app to look into; one loop an app, so that no slot is given away twice. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #loops = new Map<string, Promise<void>>();
  /** By run: resolves when what was reported of it so far is stored, or failed to be. */
  readonly #storing = new Map<string, Promise<unknown>>();

  constructor(context: ActivityContext, reports: WorkReports) {
    this.#context = context;
    this.#reports = reports;
  }

  open(appName: string): WorkSession {
    const session = new WorkSession(appName);
    this.#connected.set(session, this.#context.metrics.workerConnected(appName));
    const sessions = this.#sessions.get(appName) ?? new Set();
    this.#sessions.set(appName, sessions.add(session));
    return session;
  }

  /** The stream is over: its runs have a moment to come back over another. */
  async close(session: WorkSession): Promise<void> {
    session.end();
    this.#connected.get(session)?.();
    this.#connected.delete(session);
    const sessions = this.#sessions.get(session.appName);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(session.appName);
    if (session.held.length === 0) return;
    // If that fails, the leases expire later.
    await this.#context.runs.disconnected(session.held).catch((error: unknown) => {
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

  async heartbeat(session: WorkSession, runId: string, attempt: number | undefined): Promise<void> {
    const held = this.#assignment(session, runId, attempt);
    const state = held ? await this.#store(runId, this.#reports.heartbeat.run(held)) : "lost";
    this.#answer(session, runId, held?.attempt, state);
  }

  async progress(
    session: WorkSession,
    runId: string,
    attempt: number | undefined,
    report: { readonly progress: number; readonly stage: string },
  ): Promise<void> {
    const held = this.#assignment(session, runId, attempt);
    const progress = Math.min(1, Math.max(0, report.progress || 0));
    const stage = report.stage === "" ? undefined : report.stage.slice(0, limits.stageLength);
    const state = held ? await this.#store(runId, this.#reports.progress.run({ ...held, progress, stage })) : "lost";
    this.#answer(session, runId, held?.attempt, state);
  }

  /** After the run's earlier reports, which would find it lost, or take it for held, when it has ended. */
  async result(session: WorkSession, runId: string, attempt: number | undefined, outcome: Outcome): Promise<void> {
    const accepted = await this.#store(runId, this.#settle(session, runId, attempt, outcome));
    session.drop(runId);
    session.send({ kind: "settled", runId, accepted });
    this.wake(session.appName, session.activities);
  }

  /** Runs held by workers whose streams are open on this replica. */
  get connected(): readonly Assignment[] {
    return [...this.#sessions.values()].flatMap((sessions) =>
      [...sessions].flatMap(({ isOver, held }) => (isOver ? [] : held)),
    );
  }

  /** Handles a run that was canceled, or that ended without its worker. */
  cancel(runId: string): void {
    for (const sessions of this.#sessions.values())
      for (const session of sessions) if (session.attemptOf(runId) !== undefined) session.send({ kind: "cancel", runId });
  }

  /** Runs may wait, or there may be room. */
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

  /** Ends every stream, and waits for what is under way. */
  async stop(): Promise<void> {
    for (const sessions of this.#sessions.values()) for (const session of sessions) session.end();
    await Promise.all(this.#storing.values());
    await Promise.all(this.#loops.values());
  }

  async #settle(session: WorkSession, runId: string, attempt: number | undefined, outcome: Outcome): Promise<boolean> {
    const earlier = this.#storing.get(runId);
    if (earlier) await earlier;
    const held = this.#assignment(session, runId, attempt);
    return held ? this.#reports.settle.run({ ...held, outcome }) : false;
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
        // An app just uninstalled; or the database is unreachable, and the next tick tries again.
        if (!isAppError(error, "NOT_FOUND"))
          this.#context.logger.warn({ err: error, app: appName, activity }, "activity: could not send waiting runs to workers");
      }
    }
  }

  /** Whether more may wait. */
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
    // Streams that ended while their runs were on the way.
    if (unplaced.length > 0) await this.#context.runs.release(unplaced);
  }

  #takers(appName: string, activity: string): readonly WorkSession[] {
    return [...(this.#sessions.get(appName) ?? [])].filter((session) => session.room > 0 && session.activities.has(activity));
  }

  #assignment(session: WorkSession, runId: string, attempt: number | undefined): Assignment | undefined {
    const known = attempt ?? session.attemptOf(runId);
    return known === undefined || !isUuid(runId) ? undefined : { appName: session.appName, runId, attempt: known };
  }

  #answer(session: WorkSession, runId: string, attempt: number | undefined, state: AssignmentState): void {
    if (state !== "lost" && attempt !== undefined) session.hold(runId, attempt);
    if (state !== "held") session.send({ kind: "cancel", runId });
  }
}
