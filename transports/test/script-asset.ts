import { createHash } from "node:crypto";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { createUi } from "@appserver/ui";

export const script: Buffer = Buffer.from("export const a = 1;\n".repeat(100));
export const sha256: string = createHash("sha256").update(script).digest("hex");

/** The name of a file as frameworks write it. */
export const routeFile = "js/[slug] (1)/$id.js";

/** Returns the service of assets with two equal files, `js/main.js` and {@link routeFile}, of every app. */
export function uiWithScript(): ReturnType<typeof createUi> {
  const asset = {
    appName: "com.example.notes",
    appId: "0199",
    version: "1.0.0",
    name: "js/main.js",
    mimeType: "text/javascript",
  };
  const find = async (_app: unknown, name: string) =>
    name === asset.name || name === routeFile ? { ...asset, name, contents: script, sha256 } : undefined;
  return createUi({
    store: { find },
    rights: { mayActForOrigin: () => false },
    clock: new SystemClock(),
    logger: silentLogger,
    onCorruptAsset: () => {},
    auditCorruptAsset: async () => {},
    cacheBytes: 100_000_000,
    cacheTtlMs: 300_000,
    unversionedCache: "immutable",
  });
}
