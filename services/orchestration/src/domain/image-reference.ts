import { AppError } from "@appserver/kernel";

/** The image tags that an app can be released under (docs/interface/containers.md#image). */
export const imageStages = ["latest", "pre-release", "testing"] as const;
export type ImageStage = (typeof imageStages)[number];

export interface ImageReferenceParts {
  /** `host[:port][/path]`, or a namespace of the engine's default registry. Empty: use images that the engine has locally. */
  readonly registry: string;
  readonly appName: string;
  readonly stage: ImageStage;
}

/**
 * Narrower than a path component of a repository, so that every app name is a valid one (docs/interface/manifest.md#fields).
 */
const appNamePattern = /^[a-z0-9]+([._-][a-z0-9]+)*$/;
const appNameLimit = 63;

/** The grammar of distribution/reference: `domain` and `path-component`. */
const hostPattern =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const pathComponentPattern = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
/** Maximum length of a repository name. The reference grammar takes it from the registry's storage. */
const repositoryLimit = 255;

/**
 * Returns `{registry}/{app name}:{stage}` (docs/interface/containers.md#image). Throws INVALID_REQUEST for a part that could
 * turn it into the reference of another image.
 */
export function imageReference({ registry, appName, stage }: ImageReferenceParts): string {
  if (!isAppName(appName)) throw refusal("app name", appName, `${appNamePattern.source}, at most ${appNameLimit} characters`);
  if (!isRegistry(registry)) throw refusal("registry", registry, "host[:port][/path] without a scheme");
  const repository = registry === "" ? appName : `${registry}/${appName}`;
  if (repository.length > repositoryLimit)
    throw refusal("image repository", repository, `at most ${repositoryLimit} characters`);
  return `${repository}:${parseStage(stage)}`;
}

/** Parses a stage from a setting or the environment. Throws INVALID_REQUEST for any other text. */
export function parseStage(text: string): ImageStage {
  const stage = imageStages.find((known) => known === text);
  if (stage === undefined) throw refusal("image stage", text, imageStages.join(", "));
  return stage;
}

function isAppName(text: string): boolean {
  return text.length <= appNameLimit && appNamePattern.test(text);
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

function refusal(subject: string, value: string, expected: string): AppError {
  return new AppError(
    "INVALID_REQUEST",
    `not a valid ${subject}: ${JSON.stringify(value.slice(0, 300))}; expected ${expected}`,
  );
}
