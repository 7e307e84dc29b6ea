import { randomUUID } from "node:crypto";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Unreachable } from "../../rest-failure.ts";

/** A development platform on this machine (docs/interface/containers.md#drivers). */
export interface DevPlatform {
  readonly httpUrl: string;
  readonly dataFolder: string;
  /** The container driver. */
  readonly containers: string;
}

/** Returns the development platform at an address. Undefined if there is another one. Rejects with {@link Unreachable} if there is none. */
export async function devPlatformAt(http: string): Promise<DevPlatform | undefined> {
  const { origin } = new URL(http);
  const response = await fetch(`${origin}/dev/platform`).catch((cause: Error) => {
    throw new Unreachable(origin, cause.cause instanceof Error ? cause.cause : cause);
  });
  if (!response.ok) return undefined;
  return { httpUrl: origin, ...((await response.json()) as { dataFolder: string; containers: string }) };
}

/** Returns the development platform that runs folders. Rejects with a sentence that says what to do if there is none. */
export async function findDevPlatform(http: string): Promise<DevPlatform> {
  const dev = await devPlatformAt(http);
  if (!dev) throw new Error(`${http} is not a development platform (\`npm start\`)`);
  if (dev.containers !== "process")
    throw new Error(`${http} runs apps as containers (${dev.containers}); start it without --containers to run a folder`);
  return dev;
}

/** Makes a folder the image of an app. The next deployment of the app runs a copy of it. */
export async function linkFolder({ dataFolder }: DevPlatform, appName: string, folder: string): Promise<void> {
  const images = join(dataFolder, "images", appName);
  const draft = join(images, randomUUID());
  try {
    await mkdir(images, { recursive: true });
    await symlink(resolve(folder), draft);
    await rename(draft, join(images, "latest"));
  } catch (cause) {
    throw new Error(`could not write to ${images}: only the user who runs the platform can run a folder on it`, { cause });
  }
}
