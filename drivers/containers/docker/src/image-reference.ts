/** The parts of an image reference in the form of the Engine API. */
export interface ImageParts {
  /** With the registry: `127.0.0.1:5000/com.example.notes` */
  readonly repository: string;
  /** `latest` if the reference has neither tag nor digest. */
  readonly tag?: string;
  /** `sha256:…` */
  readonly digest?: string;
  /** The registry's host, as used for credentials; absent for the default registry. */
  readonly registryHost?: string;
}

export function splitImage(image: string): ImageParts {
  const [named = "", digest] = image.split("@", 2);
  // A colon before the last slash belongs to the registry's port.
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const repository = colon === -1 ? named : named.slice(0, colon);
  const tag = colon === -1 ? undefined : named.slice(colon + 1);
  const [first = "", ...rest] = repository.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return {
    repository,
    ...(digest === undefined ? { tag: tag ?? "latest" } : { digest, ...(tag === undefined ? {} : { tag }) }),
    ...(isHost ? { registryHost: first } : {}),
  };
}
