import { resolve } from "node:path";
import { EngineClient } from "@appserver/containers-docker";
import { makeAppImage, pushImage } from "@appserver/containers-docker/images";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { buildFrontend } from "@appserver/frontends";
import { approvePermissions, ensureAppKeys, loadManifest } from "@appserver/sdk";
import { shareKeys } from "../../examples/share-keys.ts";
import { eventually } from "./eventually.ts";
import { nextNotesFolder, notesFolder } from "./next-notes.ts";
import type { PlatformUnderTest } from "./platform-under-test.ts";

/** In the order of registration: clock looks up notes. */
const exampleApps = ["notes", "clock"].map((name) => ({
  name: `com.example.${name}`,
  folder: resolve(import.meta.dirname, "../../examples", name),
}));
const runningTimeoutMs = 120_000;

/** Builds the sample apps' images on the engine and pushes them to the registry from which every orchestrator pulls. */
export async function publishExamples(socketPath: string, registry: string): Promise<void> {
  const engine = new EngineClient(socketPath);
  try {
    for (const { name, folder } of exampleApps) await ensureAppKeys(folder, name);
    await shareKeys(notesFolder, nextNotesFolder);
    const next = { image: "com.example.notes:pre-release", folder: nextNotesFolder };
    const latest = exampleApps.map(({ name, folder }) => ({ image: `${name}:latest`, folder }));
    for (const { image: name, folder } of [...latest, next]) {
      const image = `${registry}/${name}`;
      await makeAppImage({ socketPath, appFolder: folder, entry: "src/server.ts", image, extraFolders: ["app.yaml"] });
      await pushImage(engine, image);
    }
  } finally {
    await engine.close();
  }
}

/** Registers the sample apps as their developers would, installs them, and waits until they run. */
export async function installExamples(platform: Pick<PlatformUnderTest, "register" | "client">): Promise<void> {
  const client = platform.client();
  const { marketplace } = client;
  for (const { name, folder } of exampleApps) {
    const keys = await ensureAppKeys(folder, name);
    await buildFrontend(folder);
    await platform.register(await loadManifest(folder, keys));
  }
  for (const { name } of exampleApps) {
    await approvePermissions(client, name);
    await marketplace.installApp({ name });
  }
  for (const { name } of exampleApps) {
    const state = async () => AppState[(await marketplace.getApp({ name })).app?.state ?? 0];
    const options = { timeoutMs: runningTimeoutMs, intervalMs: 200, what: `${name} is RUNNING` };
    await eventually(state, (seen) => seen === "RUNNING", options);
  }
}
