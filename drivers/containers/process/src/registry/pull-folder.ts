import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError, folderLayerOf } from "@appserver/contracts/folder-images";
import { ContainerError, type PullOptions } from "@appserver/kernel/ports";
import { RegistryClient } from "./registry-client.ts";
import { unpackLayer } from "./unpack-layer.ts";

export interface FolderPull extends PullOptions {
  /** Returns the command that runs in a folder. Throws an error with a sentence for operators if there is none. */
  readonly commandOf: (folder: string) => readonly string[];
  /** Keeps the folder `app` that `fill` makes in a draft folder, with the command that it returns. */
  readonly keep: (digest: string, fill: (draft: string) => Promise<readonly string[]>) => Promise<void>;
}

/**
 * Pulls the folder of an app from the registry that the reference names (docs/interface/registry.md#folders), and returns the digest of the
 * image. The bytes have their digests and sizes before anything of them is read. Rejects with `image_not_found`, `pull_limited`,
 * `pull_failed`, or with `start_failed` for an image that no other pull makes runnable.
 */
export async function pullFolder(reference: string, pull: FolderPull): Promise<string> {
  const { signal, onProgress } = pull;
  const client = new RegistryClient(reference, pull);
  const { digest, json } = await client.manifest();
  onProgress?.({ status: "Pulling the folder" });
  const layer = folderLayerOf(json);
  if (!layer)
    throw unusable(
      reference,
      "it has no layer with the folder of an app. This platform runs apps as processes: `appctl deploy` pushes such an image if its server has containers.driver process, too",
    );
  await pull.keep(digest, async (draft) => {
    const [file, folder] = [join(draft, "layer"), join(draft, "app")];
    await client.download(layer, file);
    try {
      await unpackLayer({ file, into: folder, signal });
    } catch (error) {
      throw error instanceof ArchiveError ? unusable(reference, `its layer is refused: ${error.message}`, error) : error;
    }
    await rm(file);
    try {
      return pull.commandOf(folder);
    } catch (error) {
      throw unusable(reference, error instanceof Error ? error.message : String(error), error);
    }
  });
  return digest;
}

function unusable(reference: string, why: string, cause?: unknown): ContainerError {
  return new ContainerError("start_failed", `the image ${reference} cannot run: ${why}`, { cause });
}
