import type { EngineClient } from "./engine-client.ts";
import { splitImage } from "./image-reference.ts";

interface ListedImage {
  readonly RepoDigests: readonly string[] | null;
}

/** Removes those of the images, named by digest, that the engine has and no container uses. Returns what it removed. Rejects
 * with the first failure after it tried all of them. */
export async function removeImages(engine: EngineClient, images: readonly string[]): Promise<readonly string[]> {
  const { body } = await engine.request("GET", "/images/json");
  const present = new Set((body as readonly ListedImage[]).flatMap(({ RepoDigests }) => RepoDigests ?? []));
  const removed: string[] = [];
  const failures: unknown[] = [];
  for (const image of images) {
    const { repository, digest } = splitImage(image);
    const reference = `${repository}@${digest}`;
    if (!present.has(reference)) continue;
    // 409: a container uses it. 404: another replica removed it.
    try {
      const { status } = await engine.request("DELETE", `/images/${reference}`, { accept: [404, 409] });
      if (status === 200) removed.push(image);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return removed;
}
