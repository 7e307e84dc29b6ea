import { type ActivityRun, RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import type { PlatformClient } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson, printJsonLine } from "../../output.ts";
import { connect } from "../../platform.ts";
import { isFinished, outputOf, runJson, statusLine } from "./run-output.ts";

export async function watchRun(options: GlobalOptions, id: string): Promise<void> {
  await follow(options, connect(options), id);
}

/** Prints every change of the run until its end. Fails if the final status is not COMPLETED. */
export async function follow(options: GlobalOptions, platform: PlatformClient, id: string): Promise<void> {
  let last: ActivityRun | undefined;
  for await (const { run } of platform.activities.watchRun({ id })) {
    if (!run) continue;
    last = run;
    if (options.json) printJsonLine(runJson(run));
    else print(`${run.id} ${statusLine(run)}`);
  }
  if (!last || !isFinished(last)) throw new Error("the platform ended the stream before the run ended; run the command again");
  const output = outputOf(last);
  if (!options.json && output !== undefined) printJson(output);
  if (last.status !== RunStatus.COMPLETED) throw new Error(`the run ended as ${RunStatus[last.status]}`);
}
