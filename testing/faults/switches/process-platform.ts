import { publishApp, RunningPlatform } from "@appserver/testing/kit";
import { appProcesses } from "../app-processes.ts";
import type { SwitchPlatform } from "./switch-platform.ts";

/** Starts the platform of `appserver dev` with the process driver, and with images that change while it runs. */
export async function startProcessPlatform(environment: Readonly<Record<string, string>>): Promise<SwitchPlatform> {
  const platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
  return {
    httpUrls: [platform.httpUrl],
    graphql: (query, variables) => platform.graphql(query, variables),
    client: () => platform.client(),
    register: (app) => platform.register(app),
    publish: (appName, folder) => publishApp(platform, appName, folder),
    running: async (name) => {
      const processes = appProcesses(platform.dataDir).filter(({ appName }) => appName === name);
      return processes.map(({ pid }) => String(pid));
    },
    stop: () => platform.stop(),
  };
}
