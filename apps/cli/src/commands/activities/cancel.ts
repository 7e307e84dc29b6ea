import { ask } from "../../client.ts";
import { CancelActivityRunDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { isFinished, statusLine } from "./run-output.ts";

export async function cancelRun(options: GlobalOptions, id: string): Promise<void> {
  const { cancelActivityRun: run } = await ask(options, CancelActivityRunDocument, { id });
  if (options.json) printJson(run);
  else print(`${run.id} ${statusLine(run)}${isFinished(run) ? "" : "; its worker is being stopped"}`);
}
