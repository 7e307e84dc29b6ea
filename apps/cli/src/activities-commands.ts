import type { Command } from "commander";
import type { ScheduleFlags } from "./commands/activities/schedule.ts";
import type { WatchFlags } from "./commands/activities/start.ts";
import type { TriggerFlags } from "./commands/activities/trigger.ts";
import type { TimeoutFlags } from "./commands/activities/watch.ts";
import type { GlobalOptions } from "./global-options.ts";
import { wholeNumber } from "./whole-number.ts";

const timeoutText = "stop watching after this time; the run continues";

/** `appctl activities …` */
export function addActivitiesCommands(program: Command, options: () => GlobalOptions): void {
  const activities = program.command("activities").description("background tasks of apps, their runs and schedules");

  activities
    .command("list")
    .description("list the activities that apps declare, with their schedules")
    .argument("[app]")
    .action(async (app: string | undefined) => {
      const { listActivities } = await import("./commands/activities/list.ts");
      await listActivities(options(), app);
    });

  activities
    .command("trigger")
    .description("start a run of an activity")
    .argument("<app>")
    .argument("<activity>")
    .option("--input <json>", "input of the run")
    .option("--key <text>", "idempotency key: a repeated key returns the first run")
    .option("--at <time>", "start time; default now")
    .option("--watch", "follow the run to its end", false)
    .option("--timeout <seconds>", timeoutText, wholeNumber)
    .action(async (app: string, activity: string, flags: TriggerFlags) => {
      const { triggerActivity } = await import("./commands/activities/trigger.ts");
      await triggerActivity(options(), app, activity, flags);
    });

  activities
    .command("schedule")
    .description("start an activity repeatedly; a repeated key replaces the schedule")
    .argument("<app>")
    .argument("<activity>")
    .option("--cron <expression>", "five fields, minute first, or six with seconds first")
    .option("--every <seconds>", "interval, instead of --cron", wholeNumber)
    .option("--timezone <name>", "IANA name, default UTC")
    .option("--input <json>", "input of every run")
    .option("--key <text>", "identifies the schedule among several of one activity")
    .option("--off", "disable the schedule", false)
    .action(async (app: string, activity: string, flags: ScheduleFlags) => {
      const { scheduleActivity } = await import("./commands/activities/schedule.ts");
      await scheduleActivity(options(), app, activity, flags);
    });

  addScheduleCommands(activities, options);

  activities
    .command("runs")
    .description("list runs, newest first")
    .argument("[app]")
    .option("--status <status>", "only runs with this status")
    .option("--limit <number>", "maximum number of runs", wholeNumber, 50)
    .action(async (app: string | undefined, flags: { status?: string; limit: number }) => {
      const { listRuns } = await import("./commands/activities/runs.ts");
      await listRuns(options(), app, flags);
    });

  activities
    .command("cancel")
    .description("cancel a run")
    .argument("<run>")
    .action(async (run: string) => {
      const { cancelRun } = await import("./commands/activities/cancel.ts");
      await cancelRun(options(), run);
    });

  activities
    .command("retry")
    .description("start a new run with the activity and the input of one that has ended")
    .argument("<run>")
    .option("--watch", "follow the new run to its end", false)
    .option("--timeout <seconds>", timeoutText, wholeNumber)
    .action(async (run: string, flags: WatchFlags) => {
      const { retryRun } = await import("./commands/activities/start.ts");
      await retryRun(options(), run, flags);
    });

  activities
    .command("watch")
    .description("follow a run to its end")
    .argument("<run>")
    .option("--timeout <seconds>", timeoutText, wholeNumber)
    .action(async (run: string, flags: TimeoutFlags) => {
      const { followRun } = await import("./commands/activities/watch.ts");
      await followRun(options(), run, flags);
    });
}

function addScheduleCommands(activities: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/activities/schedules.ts");

  activities
    .command("schedules")
    .description("list schedules with their ids")
    .argument("[app]")
    .action(async (app: string | undefined) => (await commands()).listSchedules(options(), app));

  activities
    .command("pause")
    .description("pause a schedule until it is resumed")
    .argument("<schedule>")
    .action(async (schedule: string) => (await commands()).setScheduleEnabled(options(), schedule, false));

  activities
    .command("resume")
    .description("resume a paused schedule at its next time")
    .argument("<schedule>")
    .action(async (schedule: string) => (await commands()).setScheduleEnabled(options(), schedule, true));

  activities
    .command("delete-schedule")
    .description("delete a schedule that its app does not declare")
    .argument("<schedule>")
    .action(async (schedule: string) => (await commands()).deleteSchedule(options(), schedule));

  activities
    .command("run")
    .description("start a run of a schedule now, also while it is paused")
    .argument("<schedule>")
    .option("--watch", "follow the run to its end", false)
    .option("--timeout <seconds>", timeoutText, wholeNumber)
    .action(async (schedule: string, flags: WatchFlags) => {
      const { runScheduleNow } = await import("./commands/activities/start.ts");
      await runScheduleNow(options(), schedule, flags);
    });
}
