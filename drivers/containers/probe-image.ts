import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAppImage } from "@appserver/containers-docker/images";
import { probeEntry, writeProbeApp } from "./probe-app.ts";

/** Makes an image of the probe app. `GET /version` returns `version`. */
export async function makeProbeImage(socketPath: string, image: string, version = "1"): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "appserver-probe-"));
  try {
    writeProbeApp(folder, version);
    await makeAppImage({ socketPath, appFolder: folder, entry: probeEntry, image });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
