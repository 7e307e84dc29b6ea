import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureAppKeys, keyFile, loadManifest, type PlatformClient, registerApp } from "@appserver/sdk";
import { KillableProcess } from "./killable-process.ts";

export const activityApp = "com.example.toiler";
export const activity = "toil";

/** Registers and installs an app that has an activity and no backend of ours. Answers the folder of its key. */
export async function installActivityApp(platform: PlatformClient, folder: string): Promise<string> {
  const manifest = [
    `name: ${activityApp}`,
    "version: 1.0.0",
    "display_name: Toiler",
    "web_app: { api: { base_path: /, upstream_base_url: http://127.0.0.1:9 } }",
    `activities: [{ name: ${activity}, max_retries: 20, timeout_ms: 120000 }]`,
  ];
  await writeFile(join(folder, "app.yaml"), manifest.join("\n"));
  const keys = await ensureAppKeys(folder, activityApp);
  await registerApp(platform, await loadManifest(folder, keys));
  await platform.marketplace.installApp({ name: activityApp });
  return folder;
}

/** A worker in a process of its own, made to be killed. */
export class WorkerProcess extends KillableProcess {
  constructor(grpcUrl: string, keyFolder: string, capacity: number) {
    const script = join(import.meta.dirname, "activity-worker-process.ts");
    super(script, [grpcUrl, join(keyFolder, keyFile), String(capacity)]);
  }
}
