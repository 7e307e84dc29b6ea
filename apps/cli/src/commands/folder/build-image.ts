import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Builds the image of a folder with its Dockerfile. Shows what Docker prints. Rejects if the build fails. */
export async function buildImage(image: string, folder: string): Promise<void> {
  if (!existsSync(join(folder, "Dockerfile"))) throw new Error(`${folder} has no Dockerfile, from which its image is built`);
  await docker("build", "--tag", image, folder);
}

/** Pushes an image with the credentials of `docker login`. Shows what Docker prints. Rejects if the registry refuses it. */
export async function pushImage(image: string): Promise<void> {
  await docker("push", image);
}

function docker(...args: readonly string[]): Promise<void> {
  // Its progress is no output of appctl.
  const child = spawn("docker", args, { stdio: ["ignore", process.stderr, process.stderr] });
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`docker cannot be run: ${cause.message}`, { cause })));
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`docker ${args[0]} failed with exit code ${code}`)),
    );
  });
}
