import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  folderAnnotation,
  folderImageTypes,
  folderInLayer,
  type ImageManifest,
  type LayerDescriptor,
} from "@appserver/contracts/folder-images";
import { folderBackend, manifestFile } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { type HttpUpload, open, readText, send } from "../../http.ts";
import { Refusal } from "../../refusal.ts";
import { UsageError } from "../../usage-error.ts";
import { type PackedLayer, packFolder } from "./pack-folder.ts";

/**
 * Pushes the folder of an app to the registry of a platform that runs apps as processes, without Docker, and returns the digest of the image.
 * Throws {@link UsageError} for an app that does not run there. Rejects as `send` does, and with the refusal of the registry.
 */
export async function pushFolder(options: GlobalOptions, image: FolderImage): Promise<string> {
  const backend = folderBackend(image.folder);
  if (backend.language === "python")
    throw new UsageError(
      `${image.folder} is an app in Python, and ${options.http} runs apps as processes from folders, which do not bring the packages of Python: apps in Python need a platform with containers`,
    );
  if (backend.language === "node" && !existsSync(join(image.folder, "package.json")))
    throw new UsageError(
      `${image.folder} has no command in ${manifestFile} and no package.json, from which the platform reads how the app starts`,
    );
  const temporary = await mkdtemp(join(tmpdir(), "appctl-folder-"));
  try {
    const layer = await packFolder(image.folder, join(temporary, "layer.tar.gz"));
    return await new FolderPush(options, image.appName).run(
      layer,
      backend.language === "any" ? backend.command : ["node", backend.main],
      image.tag,
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export interface FolderImage {
  readonly appName: string;
  readonly folder: string;
  readonly tag: string;
}

class FolderPush {
  readonly #options: GlobalOptions;
  readonly #path: string;

  constructor(options: GlobalOptions, appName: string) {
    this.#options = options;
    this.#path = `/v2/${appName}`;
  }

  async run(packed: PackedLayer, command: readonly string[], tag: string): Promise<string> {
    const { digest, size } = packed;
    await this.#pushBlob({ mediaType: folderImageTypes.layer, digest, size }, () => createReadStream(packed.file));
    const configText = JSON.stringify({
      architecture: "unknown",
      os: "linux",
      config: { Cmd: command, WorkingDir: `/${folderInLayer}` },
      rootfs: { type: "layers", diff_ids: [packed.diffId] },
    });
    const config = descriptorOf(configText, folderImageTypes.config);
    await this.#pushBlob(config, () => Readable.from([configText]));
    const manifest: ImageManifest = {
      schemaVersion: 2,
      mediaType: folderImageTypes.manifest,
      config,
      layers: [{ mediaType: folderImageTypes.layer, digest, size, annotations: { [folderAnnotation]: folderInLayer } }],
    };
    const text = JSON.stringify(manifest);
    const described = descriptorOf(text, folderImageTypes.manifest);
    await this.#upload("PUT", `manifests/${tag}`, {
      type: described.mediaType,
      length: described.size,
      bytes: Readable.from([text]),
    });
    return described.digest;
  }

  /** The registry may have the bytes from an earlier push. */
  async #pushBlob({ digest, size }: LayerDescriptor, bytesOf: () => Readable): Promise<void> {
    const path = `${this.#path}/blobs/${digest}`;
    const found = await send(this.#options, { path, method: "HEAD" });
    found.resume();
    if (found.statusCode === 200) return;
    // Before the bytes are sent: a connection that is closed while it is written shows no refusal.
    if (found.statusCode !== 404) return void (await open(this.#options, { path }));
    const upload = { type: "application/octet-stream", length: size, bytes: bytesOf() };
    await this.#upload("POST", `blobs/uploads/?digest=${encodeURIComponent(digest)}`, upload);
  }

  async #upload(method: "POST" | "PUT", path: string, upload: HttpUpload): Promise<void> {
    const response = await send(this.#options, { path: `${this.#path}/${path}`, method, upload });
    const text = await readText(this.#options, response);
    if (response.statusCode !== 201) throw Refusal.ofBody(response.statusCode ?? 0, text);
  }
}

function descriptorOf(text: string, mediaType: string): LayerDescriptor {
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return { mediaType, digest, size: Buffer.byteLength(text) };
}
