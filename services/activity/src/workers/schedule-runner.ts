import { IsolatedRows, isAppError, newTraceparent } from "@appserver/kernel";
import { nextTime } from "../domain/next-time.ts";
import type { NewRun, ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { newRun } from "../use-cases/trigger-activity.ts";

/** How long a schedule waits after a failure. */
const pauses = { firstMs: 5_000, maxMs: 3_600_000 };

/**
 * Starts due schedules. The run is queued together with the move to the next time, so that several replicas, or one that dies in
 * between, start only one run. A time is skipped while too many runs of the app wait. If several times passed while no replica ran,
 * one run is started for them.
 */
export class ScheduleRunner {
  readonly #context: ActivityContext;
  readonly #due: IsolatedRows<ScheduleRecord>;

  constructor(context: ActivityContext) {
    this.#context = context;
    this.#due = new IsolatedRows({
      what: "activity: starting a due schedule",
      keyOf: ({ id }) => id,
      fields: ({ id, appName, activity }) => ({ schedule: id, app: appName, activity }),
      pauses,
      stored: {
        failuresOf: ({ failures }) => failures,
        postpone: (schedule, error, retryMs) =>
          context.schedules.postpone(schedule, new Date(context.clock.now() + retryMs), textOf(error)),
      },
      clock: context.clock,
      logger: context.logger,
    });
  }

  /** Starts what is due now. A schedule that fails is postponed and shows its error; the others do not wait for it. */
  async run(): Promise<void> {
    const { schedules, clock } = this.#context;
    const now = new Date(clock.now());
    await this.#due.run(await schedules.due(now), (schedule) => this.#start(schedule, now));
  }

  async #start(schedule: ScheduleRecord, now: Date): Promise<void> {
    const { schedules, runs, quota } = this.#context;
    const nextRunAt = await nextTime(schedule, now);
    const run = await this.#dueRun(schedule);
    if (!run) await schedules.advance(schedule, nextRunAt);
    else if (await runs.enqueueScheduled(run, schedule, nextRunAt)) quota.added(schedule.appName);
  }

  /** Returns the run to start, or undefined if this time is skipped. */
  async #dueRun(schedule: ScheduleRecord): Promise<NewRun | undefined> {
    const { id, appName, activity, input } = schedule;
    const { catalogue, quota, logger } = this.#context;
    try {
      const { app, definition } = await catalogue.activity(appName, activity);
      if (app.isDisabled) return undefined;
      await quota.checkQuota(appName);
      const run = newRun(this.#context, app, definition, { by: `schedule:${id}`, traceparent: newTraceparent() });
      return { run, runAt: undefined, input, audit: undefined };
    } catch (error) {
      // The app is uninstalled, no longer declares the activity, or has too many waiting runs.
      if (!isAppError(error)) throw error;
      const level = isAppError(error, "RATE_LIMIT_EXCEEDED") ? "debug" : "warn";
      logger[level]({ schedule: id, activity, err: error }, "activity: skipped a due schedule");
      return undefined;
    }
  }
}

/** Returns what users see of the error. An unexpected one is in the log only. */
function textOf(error: unknown): string {
  return isAppError(error) ? error.message : "the platform could not start the run; its log has the reason";
}
