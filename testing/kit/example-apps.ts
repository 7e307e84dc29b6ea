import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { EngineClient } from "@appserver/containers-docker";
import { type AppImageOptions, makeAppImage, pushImage } from "@appserver/containers-docker/images";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { RegistryCredentials } from "@appserver/kernel/ports";
import { ensureAppKeys, loadManifest } from "@appserver/sdk";
import { findPackages } from "../../examples/python-packages.ts";
import { shareKeys } from "../../examples/share-keys.ts";
import { ensureBoardPython } from "../../tools/services/python-packages.ts";
import { approvePermissions } from "./approve-permissions.ts";
import { eventually } from "./eventually.ts";
import { nextNotesFolder, notesFolder } from "./next-notes.ts";
import type { PlatformUnderTest } from "./platform-under-test.ts";

/** A sample app whose image is in the registry. */
export interface PublishedExample {
  readonly name: string;
  readonly folder: string;
  readonly entry: AppImageOptions["entry"];
}

const nodeEntry = "src/server.ts";
const runningTimeoutMs = 120_000;

/**
 * Builds the sample apps' images on the engine and pushes them to the registry from which every orchestrator pulls. Returns the
 * apps in the order of registration: the others look up notes. Leaves out the one in Python where its packages cannot be had.
 */
export async function publishExamples(
  socketPath: string,
  registry: string,
  credentials?: RegistryCredentials,
): Promise<readonly PublishedExample[]> {
  const apps = [example("notes", nodeEntry), example("clock", nodeEntry), ...(await pythonExamples())];
  const engine = new EngineClient(socketPath);
  try {
    for (const { name, folder } of apps) await ensureAppKeys(folder, name);
    await shareKeys(notesFolder, nextNotesFolder);
    const next = { image: "com.example.notes:pre-release", folder: nextNotesFolder, entry: nodeEntry };
    const latest = apps.map(({ name, folder, entry }) => ({ image: `${name}:latest`, folder, entry }));
    for (const { image: name, folder, entry } of [...latest, next]) {
      const image = `${registry}/${name}`;
      await makeAppImage({ socketPath, appFolder: folder, entry, image, extraFolders: ["app.yaml"] });
      await pushImage(engine, image, credentials);
    }
    return apps;
  } finally {
    await engine.close();
  }
}

function example(name: string, entry: PublishedExample["entry"]): PublishedExample {
  return { name: `com.example.${name}`, folder: resolve(import.meta.dirname, "../../examples", name), entry };
}

async function pythonExamples(): Promise<readonly PublishedExample[]> {
  if ("unavailable" in (await ensureBoardPython())) return [];
  const found = await findPackages();
  return "missing" in found ? [] : [example("board", { module: "board", ...found })];
}

/** Registers published sample apps as their developers would, installs them, and waits until they run. */
export async function installExamples(
  platform: Pick<PlatformUnderTest, "register" | "client" | "graphql">,
  apps: readonly PublishedExample[],
): Promise<void> {
  const { marketplace } = platform.client();
  for (const { name, folder } of apps) {
    const keys = await ensureAppKeys(folder, name);
    if (existsSync(join(folder, "vite.config.ts"))) await buildFrontend(folder);
    await platform.register({ ...(await loadManifest(folder, keys)), keys });
  }
  for (const { name } of apps) {
    await approvePermissions(platform, name);
    await marketplace.installApp({ name });
  }
  for (const { name } of apps) {
    const look = async () => {
      const { app } = await marketplace.getApp({ name });
      return [AppState[app?.state ?? 0], app?.lastError?.message ?? ""];
    };
    const options = { timeoutMs: runningTimeoutMs, intervalMs: 200, what: `${name} is RUNNING` };
    await eventually(look, ([state]) => state === "RUNNING", options);
  }
}
