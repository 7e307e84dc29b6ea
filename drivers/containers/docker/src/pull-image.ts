import { ContainerError, type PullOptions, type PullProgress } from "@appserver/kernel/ports";
import { type EngineClient, EngineError } from "./engine-client.ts";
import { splitImage } from "./image-reference.ts";
import { registryAuth } from "./registry-auth.ts";

interface PullLine {
  readonly id?: string;
  readonly status?: string;
  readonly error?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
}

/** Messages of different registries and engines for a missing image. */
const absentPatterns = [
  /manifest unknown/i,
  /name unknown/i,
  /manifest for \S+ not found/i,
  /repository \S* ?(does not exist|not found)/i,
  /no such image/i,
];

/** Messages of registries that allow no more pulls for now. */
const limitPatterns = [/toomanyrequests/i, /too many requests/i, /rate limit/i, /\b429\b/];

/**
 * Pulls the image and returns the digest that the engine reported, if any. Rejects with `image_not_found` ("repository not
 * found"), `pull_timeout` ("timeout pulling image"), `pull_limited` or `pull_failed` (docs/interface/errors.md#orchestrator-errors).
 */
export async function pullImage(engine: EngineClient, image: string, options: PullOptions): Promise<string | undefined> {
  const parts = splitImage(image);
  const layers = new LayerProgress();
  let digest: string | undefined;
  try {
    const lines = engine.lines("POST", "/images/create", {
      query: { fromImage: parts.repository, tag: parts.digest ?? parts.tag ?? "latest" },
      headers: options.credentials ? registryAuth(options.credentials, parts.registryHost) : {},
      signal: options.signal,
      // The engine sends headers only after the registry responded; the signal is the limit.
      timeoutMs: 0,
    });
    for await (const entry of lines) {
      const line = entry as PullLine;
      // A failed pull also ends with status 200: only the stream contains the error.
      if (line.error !== undefined) throw new EngineError(200, line.error);
      digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(line.status ?? "")?.[1] ?? digest;
      options.onProgress?.(layers.next(line));
    }
  } catch (error) {
    throw pullError(image, error, options.signal);
  }
  if (options.signal.aborted) throw pullError(image, options.signal.reason, options.signal);
  return digest;
}

function pullError(image: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ContainerError("pull_timeout", `timeout pulling image: ${image}`, { cause: error });
  if (!(error instanceof EngineError)) return error;
  if (error.status === 404 || absentPatterns.some((pattern) => pattern.test(error.message))) {
    return new ContainerError("image_not_found", `repository not found: ${image}`, { cause: error });
  }
  const isLimited = error.status === 429 || limitPatterns.some((pattern) => pattern.test(error.message));
  return new ContainerError(isLimited ? "pull_limited" : "pull_failed", `pulling ${image} failed: ${error.message}`, {
    cause: error,
  });
}

/**
 * Sums bytes over all layers with a known size. New layers may appear while others are in progress, so the fraction never
 * decreases.
 */
class LayerProgress {
  readonly #layers = new Map<string, { current: number; total: number }>();
  #fraction: number | undefined;

  next(line: PullLine): PullProgress {
    const status = line.status ?? "";
    const known = line.id === undefined ? undefined : this.#layers.get(line.id);
    if (line.id !== undefined && status === "Downloading" && line.progressDetail?.total) {
      this.#layers.set(line.id, { current: line.progressDetail.current ?? 0, total: line.progressDetail.total });
    } else if (known && status !== "Waiting" && status !== "Pulling fs layer") {
      known.current = known.total;
    }
    let current = 0;
    let total = 0;
    for (const layer of this.#layers.values()) {
      current += layer.current;
      total += layer.total;
    }
    if (total > 0) this.#fraction = Math.min(1, Math.max(this.#fraction ?? 0, current / total));
    return this.#fraction === undefined ? { status } : { status, fraction: this.#fraction };
  }
}
