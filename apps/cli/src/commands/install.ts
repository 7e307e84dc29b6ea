import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { PlatformClient } from "@appserver/sdk";
import { appJson, print, printJson, printWarnings } from "../output.ts";
import { connect, type GlobalOptions } from "../platform.ts";

export async function installApp(options: GlobalOptions, name: string, waitSeconds: number | undefined): Promise<void> {
  const platform = connect(options);
  const { app, warnings } = await platform.marketplace.installApp({ name });
  if (!app) throw new Error("the response of the platform has no app");
  printWarnings(warnings);
  const reached = waitSeconds === undefined ? app : await waitUntilRunning(platform, app, waitSeconds);
  if (options.json) printJson({ app: appJson(reached) });
  else print(`${reached.name} ${reached.version} is ${AppState[reached.state]}`);
}

async function waitUntilRunning(platform: PlatformClient, app: App, seconds: number): Promise<App> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const { app: current = app } = await platform.marketplace.getApp({ name: app.name });
    if (current.state === AppState.RUNNING) return current;
    if (current.state === AppState.FAILED)
      throw new Error(`${app.name} failed: ${current.lastError?.message ?? "no reason given"}`);
    if (Date.now() > deadline)
      throw new Error(`${app.name} is ${AppState[current.state]} after ${seconds} seconds: ${whyNotRunning(current)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function whyNotRunning({ lastError }: App): string {
  return lastError?.message ?? "no health check has passed or failed yet";
}
