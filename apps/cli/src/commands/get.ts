import type { GlobalOptions } from "../global-options.ts";
import { appDetails, appJson, print, printJson } from "../output.ts";
import { connect } from "../platform.ts";

export async function getApp(options: GlobalOptions, name: string): Promise<void> {
  const { app } = await connect(options).marketplace.getApp({ name });
  if (!app) throw new Error("the response of the platform has no app");
  if (options.json) printJson(appJson(app));
  else print(appDetails(app));
}
