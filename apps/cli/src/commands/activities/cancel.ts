import { print, printJson } from "../../output.ts";
import { connect, type GlobalOptions } from "../../platform.ts";
import { isFinished, runJson, statusLine } from "./run-output.ts";

export async function cancelRun(options: GlobalOptions, id: string): Promise<void> {
  const { run } = await connect(options).activities.cancelRun({ id });
  if (!run) throw new Error("the platform answered without a run");
  if (options.json) printJson(runJson(run));
  else print(`${run.id} ${statusLine(run)}${isFinished(run) ? "" : "; its worker was asked to stop"}`);
}
