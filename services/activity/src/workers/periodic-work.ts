import { PeriodicTasks } from "@appserver/kernel";
import type { ActivityContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { RunSweeps } from "./run-sweeps.ts";
import { ScheduleRunner } from "./schedule-runner.ts";

const purgeEveryMs = 10 * 60_000;
/** If a check is later than this, workers could not report in time either. */
const latenessMs = 5_000;

/** Returns what every replica repeats. Row locks decide which replica does a piece of work. */
export function periodicWork(context: ActivityContext, dispatcher: Dispatcher): PeriodicTasks {
  const { runs, times, clock, logger } = context;
  const schedules = new ScheduleRunner(context);
  const sweeps = new RunSweeps(context);
  /** Since when workers can report without interruption, and when this was last confirmed. Monotonic. */
  let reachableSince = 0;
  let reachableAt = Number.NEGATIVE_INFINITY;

  const noteReachable = (): void => {
    const now = clock.monotonic();
    if (now - reachableAt > times.tickMs + latenessMs) reachableSince = now;
    reachableAt = now;
  };
  /** The failure of one piece of work does not keep the next from being done. */
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error, what }, "activity: a periodic task failed; retrying at the next interval");
    }
  };
  const doDueWork = async (): Promise<void> => {
    const due = await runs.due(new Date(clock.now()));
    noteReachable();
    if (due.expired) await attempt("expired runs", () => sweeps.expire());
    // After a start or an outage, workers first report the runs that they have and the runs that ended.
    if (due.overdue && reachableAt - reachableSince >= times.reconnectMs)
      await attempt("overdue runs", () => sweeps.endOverdue(dispatcher.connected));
    if (due.scheduled) await attempt("due schedules", () => schedules.run());
    // Those that became due, and those whose notification was lost.
    if (due.waiting) dispatcher.wakeAll();
  };

  return new PeriodicTasks({
    name: "activity",
    clock,
    logger,
    tasks: [
      {
        name: "due work",
        intervalMs: times.tickMs,
        run: doDueWork,
      },
      {
        name: "old runs",
        intervalMs: purgeEveryMs,
        run: async (signal) => {
          while (!signal.aborted && (await runs.purge()) > 0);
        },
      },
    ],
  });
}
