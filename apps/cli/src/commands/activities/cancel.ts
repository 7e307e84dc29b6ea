import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { isFinished, runJson, statusLine } from "./run-output.ts";

export async function cancelRun(options: GlobalOptions, id: string): Promise<void> {
  const { run } = await connect(options).activities.cancelRun({ id });
  if (!run) throw new Error("the response of the platform has no run");
  if (options.json) printJson(runJson(run));
  else print(`${run.id} ${statusLine(run)}${isFinished(run) ? "" : "; its worker is being stopped"}`);
}
