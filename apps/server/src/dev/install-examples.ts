import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { createPlatformClient, ensureAppKeys, loadManifest, type PlatformClient, registerApp } from "@appserver/sdk";
import { ConnectError } from "@connectrpc/connect";
import { buildFrontend } from "../../../../examples/build-frontend.ts";
import { type ExampleApp, exampleApps } from "./example-apps.ts";

/** A sample app that the platform refuses; the message says why and what helps. */
class ExampleError extends Error {
  override readonly name = "ExampleError";
}

/** Keys and frontends of the sample apps; what is there already is kept. */
export async function prepareExamples(): Promise<void> {
  for (const app of exampleApps) {
    await ensureAppKeys(app.folder, app.name);
    await buildFrontend(app.folder);
  }
}

/** Registers the sample apps and installs those that were never installed or failed, as their developers would: over gRPC. */
export async function installExamples(grpcUrl: string): Promise<void> {
  const platform = createPlatformClient({ grpcUrl });
  for (const example of exampleApps) await registerExample(platform, example);
  for (const { name } of exampleApps) {
    const { app } = await platform.marketplace.getApp({ name });
    if (app?.state === AppState.REGISTERED || app?.state === AppState.FAILED) await platform.marketplace.installApp({ name });
  }
}

async function registerExample(platform: PlatformClient, example: ExampleApp): Promise<void> {
  const signed = await loadManifest(example.folder, await ensureAppKeys(example.folder, example.name));
  try {
    await registerApp(platform, signed);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    throw new ExampleError(
      `${example.folder} cannot be registered: ${error.rawMessage}. The data of earlier starts knows another state of it: ` +
        "restore its key.pem and certificate.pem or raise its version, or move the data folder away.",
    );
  }
}

/** The sample apps once none of them is on its way any more, or after `timeoutMs` as they are then. */
export async function settledExamples(grpcUrl: string, timeoutMs: number): Promise<readonly App[]> {
  const platform = createPlatformClient({ grpcUrl });
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answers = await Promise.all(exampleApps.map(({ name }) => platform.marketplace.getApp({ name })));
    const apps = answers.map(({ app }) => app).filter((app) => app !== undefined);
    if (apps.every(isSettled) || Date.now() > deadline) return apps;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isSettled(app: App): boolean {
  return [AppState.RUNNING, AppState.FAILED, AppState.UNINSTALLED].includes(app.state);
}
