// `npm run build`: builds the web applications of the platform, the documentation, and the packages for app developers. The frontends of
// the sample apps are built when they are installed.
import { resolve } from "node:path";
import { buildDocs } from "@appserver/builds/docs";
import { buildFrontend } from "@appserver/builds/frontend";
import { buildPackage, packages } from "@appserver/builds/package";

const applications = ["apps/console", "apps/playground"].map((folder) => ({ folder, build: buildFrontend }));
const tarballs = packages.map((each) => ({ folder: each.folder, build: (folder: string) => buildPackage(folder, each) }));

const docs = { folder: "apps/docs", build: buildDocs };

for (const { folder, build } of [...applications, docs, ...tarballs]) {
  const startedAt = performance.now();
  await build(resolve(import.meta.dirname, "..", folder));
  process.stdout.write(`${folder}: built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}
