// `node bundle-process.ts <folder> <output>`: bundles the package in a folder with everything that it imports.
import { dirname, join, relative, resolve } from "node:path";
import license from "rollup-plugin-license";
import { build } from "tsdown";
import { publishedPackage } from "./published-package.ts";

// Its types are those of an ES module, which it is not.
const licensesOf = license as unknown as typeof license.default;
const [folder = "", outDir = ""] = process.argv.slice(2);
const { entries, peers, manifest } = await publishedPackage(folder);
// The compiler finds the declarations of files that are not below the folder only if it reads everything at once, which takes memory.
const reachesOut = Object.values(entries).some((entry) => entry.startsWith("../"));
await build({
  config: false,
  cwd: folder,
  entry: entries,
  outDir,
  platform: "node",
  target: "node20",
  dts: "exports" in manifest && (reachesOut ? { tsc: { eager: true } } : true),
  sourcemap: true,
  // Paths inside the package. Else a stack trace of an app would name files next to the package, which may be the app's own.
  outputOptions: {
    sourcemapPathTransform: (source, map) =>
      join("..", relative(folder, resolve(dirname(map), source)).replace(/^(\.\.\/)+/, "")),
  },
  // The package is installed without a registry. Declarations of `@types` would be bundled without those that they import.
  deps: { alwaysBundle: [/./], neverBundle: peers.map((name) => new RegExp(`^${name}($|/)`)) },
  plugins: [licensesOf({ thirdParty: { output: join(outDir, "THIRD-PARTY-LICENSES.txt") } })],
  logLevel: "error",
});
