import { createHash } from "node:crypto";
import type { AppProcesses, ProcessImage } from "@appserver/driver";
import { ContainerError, type PullOptions } from "@appserver/kernel/ports";
import type { ImageSnapshots } from "./image-snapshots.ts";
import { pullFolder } from "./registry/pull-folder.ts";

/** What a container of an image runs. */
export interface RunnableImage {
  readonly digest: string;
  readonly command: readonly string[];
  readonly cwd: string;
}

export interface ProcessImagesOptions extends Pick<AppProcesses, "images" | "pulled"> {
  readonly snapshots: ImageSnapshots;
}

/** Resolves references to images, with or without a digest. */
export class ProcessImages {
  readonly #images: AppProcesses["images"];
  readonly #pulled: AppProcesses["pulled"];
  readonly #snapshots: ImageSnapshots;

  constructor({ images, pulled, snapshots }: ProcessImagesOptions) {
    this.#images = images;
    this.#pulled = pulled;
    this.#snapshots = snapshots;
  }

  /**
   * Returns the digest, after a copy of the folder if the image has snapshots. An image that this machine does not have is pulled from its
   * registry.
   */
  async pull(reference: string, options: PullOptions): Promise<string> {
    const { signal } = options;
    const { name, repository, digest } = split(reference);
    if (signal.aborted) throw pullTimeout(reference, signal.reason);
    if (digest !== undefined && (await this.#snapshots.has(repository, digest))) return digest;
    const image = this.#images(name);
    if (!image && this.#pulled) return await this.#fetch(reference, this.#pulled, options);
    const found = image?.snapshot ? await this.#take(reference, image, signal) : image && inPlace(image, digest)?.digest;
    if (found === undefined) throw notFound(reference);
    return found;
  }

  /** Calls `work` with the image, which stays during the call. */
  async use<T>(reference: string, work: (image: RunnableImage) => Promise<T>): Promise<T> {
    const { name, repository, digest } = split(reference);
    const image = this.#images(name);
    const runnable = image && !image.snapshot ? inPlace(image, digest) : undefined;
    if (runnable) return await work(runnable);
    const wanted = digest ?? (await this.pull(reference, { signal: new AbortController().signal }));
    const used = await this.#snapshots.use(repository, wanted, async ({ command, folder }) => ({
      result: await work({ digest: wanted, command, cwd: folder }),
    }));
    if (!used) throw notFound(reference);
    return used.result;
  }

  /** `folder` is the one in which the container runs. */
  environment(reference: string, folder: string): Readonly<Record<string, string>> {
    return (this.#images(split(reference).name) ?? this.#pulled?.(folder))?.environment ?? {};
  }

  async #fetch(reference: string, pulled: NonNullable<AppProcesses["pulled"]>, options: PullOptions): Promise<string> {
    const { repository } = split(reference);
    try {
      return await pullFolder(reference, {
        ...options,
        commandOf: (folder) => pulled(folder).command,
        keep: (digest, fill) => this.#snapshots.add(repository, digest, fill, options.signal),
      });
    } catch (cause) {
      if (options.signal.aborted) throw pullTimeout(reference, cause);
      if (cause instanceof ContainerError) throw cause;
      throw new ContainerError("pull_failed", `pulling ${reference} failed: ${String(cause)}`, { cause });
    }
  }

  async #take(reference: string, image: ProcessImage, signal: AbortSignal): Promise<string | undefined> {
    const { repository, digest } = split(reference);
    try {
      return await this.#snapshots.take(repository, image, signal, digest);
    } catch (cause) {
      if (signal.aborted) throw pullTimeout(reference, cause);
      throw new ContainerError("pull_failed", `pulling ${reference} failed: ${String(cause)}`, { cause });
    }
  }
}

/** Returns undefined if the image has another digest than the wanted one. */
function inPlace({ command, cwd }: ProcessImage, wanted: string | undefined): RunnableImage | undefined {
  const hash = createHash("sha256").update(JSON.stringify([command, cwd]));
  const digest = `sha256:${hash.digest("hex")}`;
  return wanted === undefined || wanted === digest ? { digest, command, cwd } : undefined;
}

/** Splits `<repository>:<stage>@<digest>`. As on an engine, a digest belongs to a repository and not to one of its stages. */
function split(reference: string): { name: string; repository: string; digest?: string } {
  const [name = "", digest] = reference.split("@", 2);
  const repository = name.replace(/:[^/:]*$/, "");
  return { name, repository, ...(digest === undefined ? {} : { digest }) };
}

function pullTimeout(reference: string, cause: unknown): ContainerError {
  return new ContainerError("pull_timeout", `timeout pulling image: ${reference}`, { cause });
}

function notFound(reference: string): ContainerError {
  return new ContainerError("image_not_found", `repository not found: ${reference}`);
}
