import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { AppError, singleFlight } from "@appserver/kernel";
import type { Site } from "@appserver/transports/http";

const repository = resolve(import.meta.dirname, "../../../..");

/** Returns the built `dist` of a folder of the repository, in which `npm run build` made `file`. Without it, its paths say so. */
export function builtFolder(folder: string, file = "index.html"): Site["folder"] {
  const dist = join(repository, folder, "dist");
  return async () => {
    await access(join(dist, file)).catch(() => {
      throw new AppError("SERVICE_UNAVAILABLE", `${folder} is not built: run \`npm run build\``);
    });
    return dist;
  };
}

/**
 * Returns the `dist` of a folder of the repository, built at its first use. For a checkout with the libraries that build it. A failed
 * build is repeated at the next use. A later change of the sources shows after a restart: to look for one at each request would read
 * every source for every file of a page.
 *
 * @param build - Builds the folder, unless that was done before.
 */
export function folderOnDemand(folder: string, build: (folder: string) => Promise<void> = buildFrontend): Site["folder"] {
  const path = join(repository, folder);
  const building = singleFlight(() => build(path));
  let isBuilt = false;
  return async () => {
    if (!isBuilt) await building();
    isBuilt = true;
    return join(path, "dist");
  };
}
