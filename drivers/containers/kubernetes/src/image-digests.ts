import { ContainerError, type PullOptions } from "@appserver/kernel/ports";
import { type DigestOptions, imageDigest, pinned } from "./image-digest.ts";

const digestTimeoutMs = 30_000;
/** For an image whose digest is known: the registry is only asked whether it lacks it. */
const knownTimeoutMs = 5_000;
const maxRemembered = 1_000;

/** The digests of images. Remembers some that the registry had: it may refuse a later question, which comes without credentials. */
export class ImageDigests {
  readonly #plainRegistries: DigestOptions["plainRegistries"];
  readonly #pulled = new Set<string>();

  constructor(plainRegistries: DigestOptions["plainRegistries"]) {
    this.#plainRegistries = plainRegistries;
  }

  /** An image that is named by its digest needs no registry: the machines may have it. */
  async pull(image: string, { signal, credentials }: Pick<PullOptions, "signal" | "credentials">): Promise<string> {
    const [, known] = image.split("@", 2);
    try {
      return await this.#ask(image, { signal, ...(credentials ? { credentials } : {}) });
    } catch (error) {
      if (known !== undefined && reasonOf(error) === "pull_failed") return known;
      throw error;
    }
  }

  /** Asks without credentials. Registries hide from strangers what they have (401, 404): what was pulled before exists. */
  async digestOf(image: string): Promise<string> {
    const [, known] = image.split("@", 2);
    const timeoutMs = known === undefined ? digestTimeoutMs : knownTimeoutMs;
    try {
      return await this.#ask(image, { signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      if (known === undefined || !(error instanceof ContainerError)) throw error;
      if (reasonOf(error) === "image_not_found" && !this.#pulled.has(pinned(image, known))) throw error;
      return known;
    }
  }

  async #ask(image: string, options: Omit<DigestOptions, "plainRegistries">): Promise<string> {
    const digest = await imageDigest(image, { ...options, plainRegistries: this.#plainRegistries });
    const name = pinned(image, digest);
    this.#pulled.delete(name);
    this.#pulled.add(name);
    const [oldest] = this.#pulled;
    if (this.#pulled.size > maxRemembered && oldest !== undefined) this.#pulled.delete(oldest);
    return digest;
  }
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof ContainerError ? error.reason : undefined;
}
