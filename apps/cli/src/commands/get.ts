import { ask, found } from "../client.ts";
import { AppDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { appDetails, print, printJson } from "../output.ts";

export async function getApp(options: GlobalOptions, name: string): Promise<void> {
  const app = found((await ask(options, AppDocument, { name })).app, `app ${name}`);
  if (options.json) printJson(app);
  else print(appDetails(app));
}
