import { ContainerError, type PullOptions } from "@appserver/kernel/ports";

const referenceForm =
  /^(?<host>[A-Za-z0-9.:[\]-]+)\/(?<repository>[a-z0-9._/-]+?)(?::(?<tag>[\w.-]{1,128}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;
const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

export interface DigestOptions extends Pick<PullOptions, "signal" | "credentials"> {
  /** Registries that are asked over plain HTTP: `10.0.0.5:5000`. */
  readonly plainRegistries: readonly string[];
}

/**
 * Asks the registry for the digest of an image (OCI Distribution Specification 1.1), with credentials by `Basic`. The machines of the
 * cluster pull it later. Rejects with ContainerError.
 */
export async function imageDigest(reference: string, options: DigestOptions): Promise<string> {
  const { host, repository, tag = "latest", digest } = referenceForm.exec(reference)?.groups ?? {};
  if (host === undefined || repository === undefined)
    throw new ContainerError("image_not_found", `repository not found: ${reference} names no registry`);
  const scheme = options.plainRegistries.includes(host) ? "http" : "https";
  const { credentials, signal } = options;
  const pair = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
  const headers = { accept: manifestTypes.join(", "), ...(pair === undefined ? {} : { authorization: `Basic ${pair}` }) };
  let response: Response;
  try {
    const url = `${scheme}://${host}/v2/${repository}/manifests/${digest ?? tag}`;
    response = await fetch(url, { method: "HEAD", headers, signal, redirect: "manual" });
  } catch (error) {
    if (signal.aborted) throw new ContainerError("pull_timeout", `asking for ${reference} took too long`, { cause: error });
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw failure(reference, `the registry cannot be reached (${code ?? message})`, error);
  }
  if (response.status !== 200) throw refusal(reference, response.status);
  const found = response.headers.get("docker-content-digest") ?? digest;
  if (found !== undefined && /^sha256:[0-9a-f]{64}$/.test(found)) return found;
  throw failure(reference, "the registry does not name the digest");
}

function refusal(reference: string, status: number): ContainerError {
  if (status === 404) return new ContainerError("image_not_found", `repository not found: ${reference}`);
  if (status === 429)
    return new ContainerError(
      "pull_limited",
      `asking for ${reference} failed: the registry allows no more pulls for now (429)`,
    );
  if (status === 401 || status === 403) return failure(reference, `the registry refused the credentials (${status})`);
  return failure(reference, `the registry responded with ${status}`);
}

function failure(reference: string, why: string, cause?: unknown): ContainerError {
  return new ContainerError("pull_failed", `asking for ${reference} failed: ${why}`, { cause });
}

/** Returns the reference with this digest, without a tag. */
export function pinned(reference: string, digest: string): string {
  const { host, repository } = referenceForm.exec(reference)?.groups ?? {};
  return `${host}/${repository}@${digest}`;
}
