import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { SingleFlight } from "@appserver/kernel";
import type { Gallery, GalleryApp } from "@appserver/marketplace";
import { ensureAppKeys, folderBackend, loadManifest, manifestFile, readManifest } from "@appserver/sdk";
import type { DevConfig } from "../config/dev-config.ts";
import { exampleImage, galleryFolder, galleryPrefix } from "../dev/example-apps.ts";
import { makeImage } from "./containers.ts";
import { hasPackages } from "./folder-image.ts";

/**
 * Returns the apps in the folders of the gallery, as `appserver dev` runs them. Each is signed by a key in the data folder: another
 * platform has another one. Its page, and on an engine its image, are made when it is tried.
 */
export function openGallery(config: DevConfig): Gallery {
  const making = new SingleFlight<string, void>();
  return {
    list: async () => {
      const folders = (await readdir(galleryFolder, { withFileTypes: true })).filter(
        (entry) => entry.isDirectory() && existsSync(join(galleryFolder, entry.name, manifestFile)),
      );
      const apps = await Promise.all(folders.map(({ name }) => offered(config, join(galleryFolder, name))));
      return apps.sort((a, b) => a.manifest.name.localeCompare(b.manifest.name));
    },
    release: async (name) => {
      const folder = join(galleryFolder, name.slice(galleryPrefix.length));
      await making.run(name, () => makeApp(config, folder, exampleImage(name)));
      return await loadManifest(folder, await ensureAppKeys(join(config.dev.dataDir, "gallery", name), name));
    },
  };
}

async function offered({ drivers }: DevConfig, folder: string): Promise<GalleryApp> {
  const manifest = await readManifest(folder);
  const isPython = folderBackend(folder).language === "python";
  // An image has the packages of the sample app only.
  const isBuilt = drivers.containers.driver.makeImage !== undefined;
  const needsPackages = isPython && (isBuilt || !hasPackages(folder));
  return { manifest, obstacle: needsPackages ? packagesSentence(basename(folder), isBuilt) : undefined };
}

function packagesSentence(id: string, isBuilt: boolean): string {
  if (isBuilt) return "This app in Python runs only where apps are processes: without --containers.";
  return `It needs packages of Python. To add them: npm run examples:python -- gallery/${id}`;
}

async function makeApp(config: DevConfig, folder: string, image: string): Promise<void> {
  if (existsSync(join(folder, "vite.config.ts"))) await buildFrontend(folder);
  await makeImage(config, { folder, image });
}
