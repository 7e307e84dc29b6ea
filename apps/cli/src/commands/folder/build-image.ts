import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withDockerLogin } from "./docker-login.ts";
import { writeImageContext } from "./image-context.ts";
import type { PushRegistry } from "./platform-registry.ts";
import { pushedDigest } from "./pushed-digest.ts";
import { outputOf, runProgram } from "./run-program.ts";

/** An attestation contains the time of the build. With one, every build of the same folder would be another image. */
const reproducible = { BUILDX_NO_DEFAULT_ATTESTATIONS: "1" };

/**
 * Builds the image of a folder with its Dockerfile, or else with one for its language. Shows what Docker prints. Rejects if the build fails,
 * or if the folder does not say what its packages are.
 */
export async function buildImage(image: string, folder: string): Promise<void> {
  const build = (context: string) =>
    runProgram(context, "docker", ["build", "--tag", image, "."], { environment: reproducible });
  if (existsSync(join(folder, "Dockerfile"))) return await build(folder);
  const context = await mkdtemp(join(tmpdir(), "appctl-image-"));
  try {
    await writeImageContext(folder, context);
    await build(context);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
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
