import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureAppKeys, keyFile, loadManifest, type PlatformClient, registerApp } from "@appserver/sdk";
import { KillableProcess } from "./killable-process.ts";

export const activityApp = "com.example.toiler";
/** The same work under every timeout, from shorter than a lease to much longer. */
export const activities: Readonly<Record<string, number>> = {
  "toil-1-s": 1_000,
  "toil-10-s": 10_000,
  "toil-30-s": 30_000,
  "toil-1-min": 60_000,
  "toil-2-min": 120_000,
  "toil-15-min": 900_000,
};
export const maxRetries = 20;

/** Registers and installs an app that has activities and no running backend. Returns the folder of its key. */
export async function installActivityApp(platform: PlatformClient, folder: string): Promise<string> {
  const manifest = [
    `name: ${activityApp}`,
    "version: 1.0.0",
    "display_name: Toiler",
    "web_app: { api: { base_path: /, upstream_base_url: http://127.0.0.1:9 } }",
    "activities:",
    ...Object.entries(activities).map(
      ([name, timeoutMs]) => `  - { name: ${name}, max_retries: ${maxRetries}, timeout_ms: ${timeoutMs} }`,
    ),
  ];
  await writeFile(join(folder, "app.yaml"), manifest.join("\n"));
  const keys = await ensureAppKeys(folder, activityApp);
  await registerApp(platform, await loadManifest(folder, keys));
  await platform.marketplace.installApp({ name: activityApp });
  return folder;
}

/** A worker in its own process, which tests kill. */
export class WorkerProcess extends KillableProcess {
  constructor(grpcUrl: string, keyFolder: string, capacity: number, oracleUrl: string) {
    const script = join(import.meta.dirname, "activity-worker-process.ts");
    super(script, [grpcUrl, join(keyFolder, keyFile), String(capacity), oracleUrl]);
  }
}
