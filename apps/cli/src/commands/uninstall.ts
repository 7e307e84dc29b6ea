import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { appJson, print, printJson } from "../output.ts";
import { connect, type GlobalOptions } from "../platform.ts";

export async function uninstallApp(options: GlobalOptions, name: string, purgeData: boolean): Promise<void> {
  const { app } = await connect(options).marketplace.uninstallApp({ name, purgeData });
  if (!app) throw new Error("the response of the platform has no app");
  if (options.json) printJson({ app: appJson(app) });
  else print(`${app.name} is ${AppState[app.state]}`);
}
