import { ContainerError, type RegistryCredentials } from "@appserver/kernel/ports";

/** An image in a registry, by its reference: `registry.example:5000/team/app:latest@sha256:…`. */
export interface RegistryImage {
  readonly reference: string;
  readonly host: string;
  readonly repository: string;
  /** A digest, or else a tag, by default `latest`. */
  readonly wanted: string;
}

const form =
  /^(?<host>[A-Za-z0-9.:[\]-]+)\/(?<repository>[a-z0-9._/-]+)(?::(?<tag>[\w.-]{1,128}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;

/** Throws a ContainerError `image_not_found` for a reference without a registry. */
export function registryImage(reference: string): RegistryImage {
  const { host, repository, tag = "latest", digest = tag } = form.exec(reference)?.groups ?? {};
  if (host !== undefined && repository !== undefined) return { reference, host, repository, wanted: digest };
  throw new ContainerError("image_not_found", `the image ${reference} names no registry`);
}

/** Returns the header of a request with these credentials (OCI Distribution Specification 1.1). */
export function registryAuthorization(credentials: RegistryCredentials | undefined): { readonly authorization?: string } {
  if (!credentials) return {};
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
  return { authorization: `Basic ${pair}` };
}

/** Returns the error for a status of a registry that is no success. */
export function registryRefusal({ reference }: Pick<RegistryImage, "reference">, status: number): ContainerError {
  if (status === 404) return new ContainerError("image_not_found", `repository not found: ${reference}`);
  if (status === 401 || status === 403)
    return registryFailure({ reference }, `the registry refused the credentials (${status})`);
  if (status !== 429) return registryFailure({ reference }, `the registry responded with ${status}`);
  const message = `pulling ${reference} failed: the registry allows no more pulls for now (429)`;
  return new ContainerError("pull_limited", message);
}

/** Returns the error `pull_failed` with its reason. */
export function registryFailure({ reference }: Pick<RegistryImage, "reference">, why: string, cause?: unknown): ContainerError {
  return new ContainerError("pull_failed", `pulling ${reference} failed: ${why}`, { cause });
}
