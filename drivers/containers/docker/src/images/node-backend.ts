import { existsSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { EngineClient } from "../index.ts";
import type { AppBackend } from "./app-backend.ts";
import { bundleApp } from "./bundle-app.ts";
import { filesBelow } from "./files-below.ts";
import { ensureNodeBase, nodeInImage } from "./node-base.ts";

/** The bundled backend in place of its source, so that `new URL("../app.yaml", import.meta.url)` stays valid. */
export async function nodeBackend(engine: EngineClient, appFolder: string, entry: string): Promise<AppBackend> {
  const base = await ensureNodeBase(engine);
  const bundlePath = `${entry.slice(0, -extname(entry).length)}.mjs`;
  return {
    base,
    packages: [],
    files: [
      { kind: "file", path: `app/${bundlePath}`, contents: await bundleApp(appFolder, entry) },
      ...migrationsOf(appFolder).flatMap((folder) => [...filesBelow(folder, "migrations", { into: "app" })]),
    ],
    environment: {},
    command: [nodeInImage, `/app/${bundlePath}`],
  };
}

/** The folders with migrations: that of the app, and those of the packages that are bundled with it. The bundle finds all at `../migrations`. */
function migrationsOf(appFolder: string): readonly string[] {
  const description = join(appFolder, "package.json");
  const { dependencies = {} } = existsSync(description)
    ? (JSON.parse(readFileSync(description, "utf8")) as { readonly dependencies?: object })
    : {};
  const packages = Object.keys(dependencies).flatMap((name) => findPackageJSON(name, pathToFileURL(description)) ?? []);
  return [appFolder, ...packages.map((file) => dirname(file))].filter((folder) => existsSync(join(folder, "migrations")));
}
