import { registryAuthorization, registryFailure, registryImage, registryRefusal } from "@appserver/driver";
import { ContainerError, type PullOptions } from "@appserver/kernel/ports";

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
  const image = registryImage(reference);
  const { host, repository, wanted } = image;
  const scheme = options.plainRegistries.includes(host) ? "http" : "https";
  const { credentials, signal } = options;
  const headers = { accept: manifestTypes.join(", "), ...registryAuthorization(credentials) };
  let response: Response;
  try {
    const url = `${scheme}://${host}/v2/${repository}/manifests/${wanted}`;
    response = await fetch(url, { method: "HEAD", headers, signal, redirect: "manual" });
  } catch (error) {
    if (signal.aborted) throw new ContainerError("pull_timeout", `asking for ${reference} took too long`, { cause: error });
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw registryFailure(image, `the registry cannot be reached (${code ?? message})`, error);
  }
  if (response.status !== 200) throw registryRefusal(image, response.status);
  const found = response.headers.get("docker-content-digest") ?? wanted;
  if (/^sha256:[0-9a-f]{64}$/.test(found)) return found;
  throw registryFailure(image, "the registry does not name the digest");
}

/** Returns the reference with this digest, without a tag. */
export function pinned(reference: string, digest: string): string {
  const { host, repository } = registryImage(reference);
  return `${host}/${repository}@${digest}`;
}
