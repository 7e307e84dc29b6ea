import { join, resolve } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { buildPackage, packages } from "@appserver/builds/package";

const repository = resolve(import.meta.dirname, "../..");

/** Builds the console and the packages for app developers, as the images of the platform have them. */
export async function buildPages(): Promise<void> {
  await Promise.all([
    buildFrontend(join(repository, "apps/console")),
    ...packages.map((each) => buildPackage(join(repository, each.folder), each)),
  ]);
}
