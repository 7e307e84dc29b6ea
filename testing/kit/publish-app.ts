import { randomUUID } from "node:crypto";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { EmbeddedPlatform } from "./embedded-platform.ts";
import type { PlatformUnderTest } from "./platform-under-test.ts";
import { ProductionPlatform } from "./production-platform.ts";

/**
 * Makes the code of a folder, `src/server.ts`, the newest image of an app that this test brings. The folder must stay while it
 * does. Apps that run do not change.
 */
export async function publishApp(platform: PlatformUnderTest, name: string, folder: string): Promise<void> {
  if (platform instanceof EmbeddedPlatform) {
    const images = join(platform.dataDir, "images", name);
    const draft = join(images, randomUUID());
    await mkdir(images, { recursive: true });
    await symlink(folder, draft);
    // Replaces the image before it.
    await rename(draft, join(images, "latest"));
    return;
  }
  if (!(platform instanceof ProductionPlatform)) throw new Error(`no images of ${platform.variant}`);
  const { socketPath, registry, credentials } = platform.addresses.docker;
  const { EngineClient } = await import("@appserver/containers-docker");
  const { makeAppImage, pushImage } = await import("@appserver/containers-docker/images");
  const image = `${registry}/${name}:latest`;
  const engine = new EngineClient(socketPath);
  try {
    await makeAppImage({ socketPath, appFolder: folder, entry: "src/server.ts", image });
    await pushImage(engine, image, credentials);
  } finally {
    await engine.close();
  }
}
