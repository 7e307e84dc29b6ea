import { buildPackage, packages } from "@appserver/builds/package";
import type { Site } from "@appserver/transports/http";
import { builtFolder, folderOnDemand } from "./site-folders.ts";

/** Nothing of it is a page. */
const policy = "default-src 'none'; frame-ancestors 'none'";

/** Returns the packages for app developers as `npm run build` built them (docs/interface/packages.md). */
export function builtPackages(): readonly Site[] {
  return packages.map((each) => ({ path: each.path, policy, folder: builtFolder(each.folder, each.file), ...listed(each) }));
}

/** Returns the packages for app developers, each built at its first use. */
export function packagesOnDemand(): readonly Site[] {
  return packages.map((each) => ({
    path: each.path,
    policy,
    folder: folderOnDemand(each.folder, (folder) => buildPackage(folder, each)),
    ...listed(each),
  }));
}

function listed({ path, file, text }: (typeof packages)[number]): Pick<Site, "listed"> {
  return { listed: { path: `${path}/${file === "index.html" ? "" : file}`, text } };
}
