import { extname } from "node:path";
import type { EngineClient } from "../index.ts";
import type { AppBackend } from "./app-backend.ts";
import { bundleApp } from "./bundle-app.ts";
import { ensureNodeBase, nodeInImage } from "./node-base.ts";

/** The bundled backend in place of its source, so that `new URL("../app.yaml", import.meta.url)` stays valid. */
export async function nodeBackend(engine: EngineClient, appFolder: string, entry: string): Promise<AppBackend> {
  const base = await ensureNodeBase(engine);
  const bundlePath = `${entry.slice(0, -extname(entry).length)}.mjs`;
  return {
    base,
    packages: [],
    files: [{ kind: "file", path: `app/${bundlePath}`, contents: await bundleApp(appFolder, entry) }],
    environment: {},
    command: [nodeInImage, `/app/${bundlePath}`],
  };
}
