import { existsSync } from "node:fs";
import { join } from "node:path";
import { withDockerLogin } from "./docker-login.ts";
import type { PushRegistry } from "./platform-registry.ts";
import { pushedDigest } from "./pushed-digest.ts";
import { outputOf, runProgram } from "./run-program.ts";

/** An attestation contains the time of the build. With one, every build of the same folder would be another image. */
const reproducible = { BUILDX_NO_DEFAULT_ATTESTATIONS: "1" };

/** Builds the image of a folder with its Dockerfile. Shows what Docker prints. Rejects if the build fails. */
export async function buildImage(image: string, folder: string): Promise<void> {
  if (!existsSync(join(folder, "Dockerfile"))) throw new Error(`${folder} has no Dockerfile, from which its image is built`);
  await runProgram(folder, "docker", ["build", "--tag", image, "."], { environment: reproducible });
}

/**
 * Pushes an image with the token of the registry, or else with the credentials of `docker login`, and returns the digest that it has in
 * the registry. Shows what Docker prints. Rejects if the registry refuses the image, or if its digest is not known after the push.
 */
export async function pushImage(image: string, folder: string, { name, token }: PushRegistry): Promise<string> {
  const push = (environment = {}) => outputOf(folder, "docker", ["push", image], { isShown: true, environment });
  const printed = await (token === undefined ? push() : withDockerLogin(name, token, push));
  const inspect = ["image", "inspect", "--format", "{{json .RepoDigests}}", image];
  const digest = pushedDigest(image, printed, await outputOf(folder, "docker", inspect, { isShown: false }));
  if (digest === undefined)
    throw new Error(
      `docker pushed ${image} and reported no digest: expected a line "digest: sha256:…" or one digest in \`docker image inspect\`. Without it, the manifest cannot name the image; nothing was registered`,
    );
  return digest;
}
