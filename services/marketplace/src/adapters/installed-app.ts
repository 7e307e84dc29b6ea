import type { Database } from "@appserver/kernel/ports";
import { shouldRun } from "../domain/app-state.ts";
import { liveRelease } from "../domain/live-app.ts";
import { SqlAppSource } from "./sql-app-source.ts";

/** An installed app, as a command of operators needs it. */
export interface InstalledApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly manifestDigest: string;
  /** Only an app with a container has data of its own. */
  readonly hasContainer: boolean;
  /** Names of the storage that the release declares. */
  readonly storage: readonly string[];
}

/** Reads an app. Returns undefined if it is not installed. */
export async function findInstalledApp(database: Database, name: string): Promise<InstalledApp | undefined> {
  const source = new SqlAppSource(database);
  const [found] = await source.apps([name]);
  if (!found || !shouldRun(found.app)) return undefined;
  const { id, version, manifestDigest } = found.app;
  const manifests = await source.manifestsOf([{ appId: id, manifestDigest }]);
  const manifest = manifests.get(manifestDigest)?.();
  if (!manifest) return undefined;
  const hasContainer = liveRelease(manifest).placement.needsContainer;
  return { id, name, version, manifestDigest, hasContainer, storage: manifest.storage.map((each) => each.name) };
}
