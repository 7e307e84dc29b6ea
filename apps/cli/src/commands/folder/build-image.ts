import { existsSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./run-program.ts";

/** Builds the image of a folder with its Dockerfile. Shows what Docker prints. Rejects if the build fails. */
export async function buildImage(image: string, folder: string): Promise<void> {
  if (!existsSync(join(folder, "Dockerfile"))) throw new Error(`${folder} has no Dockerfile, from which its image is built`);
  await runProgram(folder, "docker", ["build", "--tag", image, "."]);
}

/** Pushes an image with the credentials of `docker login`. Shows what Docker prints. Rejects if the registry refuses it. */
export async function pushImage(image: string, folder: string): Promise<void> {
  await runProgram(folder, "docker", ["push", image]);
}
