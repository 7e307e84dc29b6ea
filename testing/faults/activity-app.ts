import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureAppKeys, keyFile, loadManifest, type PlatformClient, registerApp } from "@appserver/sdk";

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
export class WorkerProcess {
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;

  constructor(grpcUrl: string, keyFolder: string, capacity: number) {
    this.#arguments = [grpcUrl, join(keyFolder, keyFile), String(capacity)];
  }

  start(): void {
    const script = join(import.meta.dirname, "activity-worker-process.ts");
    this.#child = spawn(process.execPath, [script, ...this.#arguments], { stdio: ["ignore", "ignore", "inherit"] });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}
