import { randomUUID } from "node:crypto";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";

/** A development platform on this machine (docs/interface/containers.md#drivers). */
export interface DevPlatform {
  readonly httpUrl: string;
  readonly dataFolder: string;
}

/** Rejects with a sentence that says what to do if there is none. */
export async function findDevPlatform(http: string): Promise<DevPlatform> {
  const { origin } = new URL(http);
  const response = await fetch(`${origin}/dev/platform`).catch(() => {
    throw new Error(`${origin} is unreachable; is a platform running there? --http or APPSERVER_HTTP_URL sets another address`);
  });
  if (!response.ok) throw new Error(`${origin} is not a development platform (\`npm start\`)`);
  const { dataFolder, containers } = (await response.json()) as { dataFolder: string; containers: string };
  if (containers !== "process")
    throw new Error(`${origin} runs apps as containers (${containers}); start it without --containers to run a folder`);
  return { httpUrl: origin, dataFolder };
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
