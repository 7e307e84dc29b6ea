import { createHash, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { folderImageLimits, folderImageTypes, type LayerDescriptor } from "@appserver/contracts/folder-images";
import { type RegistryImage, registryAuthorization, registryFailure, registryImage, registryRefusal } from "@appserver/driver";
import { ContainerError, type PullOptions } from "@appserver/kernel/ports";

export interface PulledManifest {
  /** `sha256:…` */
  readonly digest: string;
  readonly json: unknown;
}

/**
 * Reads one image from its registry (OCI Distribution Specification 1.1), with credentials by `Basic`. As Docker does, it uses plain HTTP for
 * the loopback interface only. It follows no redirect, so that no credential leaves the registry. Nothing is returned without the digest and
 * the size that it should have. Rejects with {@link ContainerError}.
 */
export class RegistryClient {
  readonly #image: RegistryImage;
  readonly #options: PullOptions;
  readonly #url: string;

  constructor(reference: string, options: PullOptions) {
    this.#image = registryImage(reference);
    this.#options = options;
    const { host, repository } = this.#image;
    this.#url = `${isLoopback(host) ? "http" : "https"}://${host}/v2/${repository}`;
  }

  async manifest(): Promise<PulledManifest> {
    const response = await this.#get(`manifests/${this.#image.wanted}`, folderImageTypes.manifest);
    const hash = createHash("sha256");
    const pieces: Uint8Array[] = [];
    await this.#reading(async () => {
      for await (const piece of this.#bytes(response, folderImageLimits.manifestBytes, hash)) pieces.push(piece);
    });
    const digest = `sha256:${hash.digest("hex")}`;
    if (this.#image.wanted.startsWith("sha256:") && digest !== this.#image.wanted)
      throw this.#failure(`the registry sent a manifest with the digest ${digest}`);
    try {
      return { digest, json: JSON.parse(Buffer.concat(pieces).toString("utf8")) };
    } catch (cause) {
      throw this.#failure("the registry sent a manifest that is no JSON", cause);
    }
  }

  /** Writes the layer into a new file. */
  async download({ digest, size }: LayerDescriptor, file: string): Promise<void> {
    const response = await this.#get(`blobs/${digest}`, "*/*");
    const hash = createHash("sha256");
    const output = createWriteStream(file, { flags: "wx", mode: 0o600 });
    await this.#reading(() => pipeline(this.#bytes(response, size, hash), output, { signal: this.#options.signal }));
    const found = `sha256:${hash.digest("hex")}`;
    if (output.bytesWritten !== size || found !== digest)
      throw this.#failure(
        `the registry sent a layer of ${output.bytesWritten} bytes with the digest ${found}; expected were ${size} bytes with ${digest}`,
      );
  }

  async #get(path: string, accept: string): Promise<Response> {
    const { credentials, signal } = this.#options;
    const headers = { accept, "accept-encoding": "identity", ...registryAuthorization(credentials) };
    const response = await this.#reading(() => fetch(`${this.#url}/${path}`, { headers, signal, redirect: "manual" }));
    if (response.status === 200) return response;
    await response.body?.cancel();
    throw registryRefusal(this.#image, response.status);
  }

  async *#bytes({ body }: Response, max: number, hash: Hash): AsyncGenerator<Uint8Array> {
    let [count, shown] = [0, 0];
    for await (const piece of body ?? []) {
      count += piece.length;
      if (count > max) throw this.#failure(`the registry sent more than ${max} bytes`);
      hash.update(piece);
      yield piece;
      if (count - shown < progressBytes) continue;
      shown = count;
      this.#options.onProgress?.({ status: "Downloading", fraction: count / max });
    }
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#options.signal.throwIfAborted();
      if (error instanceof ContainerError) throw error;
      // `fetch` has the reason in its cause.
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw this.#failure(`the registry cannot be reached, or the image cannot be stored (${code ?? message})`, error);
    }
  }

  #failure(why: string, cause?: unknown): ContainerError {
    return registryFailure(this.#image, why, cause);
  }
}

const progressBytes = 1024 * 1024;

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/.test(host);
}
