import { realpathSync } from "node:fs";
import type { EngineClient } from "../index.ts";
import { copyOf, ensureBaseImage, requireLinux } from "./base-image.ts";
import { sharedLibraries } from "./shared-libraries.ts";

/** Path of Node in the base image. */
export const nodeInImage = "/usr/local/bin/node";

/**
 * Creates the base image of apps on Node if the engine does not have it: the Node that runs this process. Returns its name. About
 * 130 MB, once per engine.
 */
export async function ensureNodeBase(engine: EngineClient): Promise<string> {
  requireLinux("Node");
  const node = realpathSync(process.execPath);
  return await ensureBaseImage(engine, {
    repository: "appserver/node",
    version: process.versions.node,
    files: [...sharedLibraries([node]), copyOf(node, nodeInImage)],
  });
}
