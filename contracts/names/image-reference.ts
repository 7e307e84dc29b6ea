import { appNameLimit, appNamePattern, isAppName } from "./app-name.ts";
import { imageDigestForm, isImageDigest } from "./image-digest.ts";

/** The image tags that an app can be released under (docs/interface/containers.md#image). */
export const imageStages = ["latest", "pre-release", "testing"] as const;

export interface ImageReferenceParts {
  /** `host[:port][/path]`, or a namespace of the engine's default registry. Empty: use images that the engine has locally. */
  readonly registry: string;
  readonly appName: string;
  /** Of no meaning with a digest. */
  readonly stage: string;
  /** The digest that the manifest names. */
  readonly digest?: string | undefined;
}

/** The grammar of distribution/reference: `domain` and `path-component`. Every app name is a path component. */
const hostPattern =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const pathComponentPattern = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
/** Maximum length of a repository name. The reference grammar takes it from the registry's storage. */
const repositoryLimit = 255;

/**
 * Returns `{registry}/{app name}@{digest}`, or `{registry}/{app name}:{stage}` without a digest (docs/interface/containers.md#image).
 * Checks nothing: before an engine uses the reference, {@link imageReferenceProblem} must have found none.
 */
export function imageReference(parts: ImageReferenceParts): string {
  const { stage, digest } = parts;
  return digest === undefined ? `${imageRepository(parts)}:${stage}` : `${imageRepository(parts)}@${digest}`;
}

/** Returns what is wrong with a part that could turn the reference into that of another image, or undefined. */
export function imageReferenceProblem(parts: ImageReferenceParts): string | undefined {
  const { registry, appName, stage, digest } = parts;
  const repository = imageRepository(parts);
  if (digest !== undefined && !isImageDigest(digest)) return problem("image digest", digest, imageDigestForm);
  if (digest === undefined && !imageStages.some((known) => known === stage))
    return problem("image stage", stage, imageStages.join(", "));
  if (!isAppName(appName)) return problem("app name", appName, `${appNamePattern.source}, at most ${appNameLimit} characters`);
  if (!isRegistry(registry)) return problem("registry", registry, "host[:port][/path] without a scheme");
  if (repository.length <= repositoryLimit) return undefined;
  return problem("image repository", repository, `at most ${repositoryLimit} characters`);
}

/** Returns `{registry}/{app name}`. Checks nothing. */
export function imageRepository({ registry, appName }: Pick<ImageReferenceParts, "registry" | "appName">): string {
  return registry === "" ? appName : `${registry}/${appName}`;
}

/** Returns the app in whose repository the image is that {@link imageReference} or {@link imageRepository} named. */
export function imageOwner(reference: string): string {
  return (/([^/]*)$/.exec(reference)?.[1] ?? "").replace(/[:@].*$/, "");
}

function isRegistry(text: string): boolean {
  if (text === "") return true;
  const [first = "", ...path] = text.split("/");
  // An engine reads the first part as a host only if it looks like one. Otherwise it is a path in the default registry.
  const isHost = /[.:]/.test(first) || first === "localhost";
  return (
    (isHost ? hostPattern : pathComponentPattern).test(first) && path.every((component) => pathComponentPattern.test(component))
  );
}

function problem(subject: string, value: string, expected: string): string {
  return `not a valid ${subject}: ${JSON.stringify(value.slice(0, 300))}; expected ${expected}`;
}
