import { randomUUID } from "node:crypto";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Refusal, Unreachable } from "../../refusal.ts";

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

/** Returns a development platform that runs folders. Throws with a sentence that says what to do if it runs containers instead. */
export function withProcesses(dev: DevPlatform): DevPlatform {
  if (dev.containers === "process") return dev;
  throw new Error(
    `${dev.httpUrl} runs apps as containers (${dev.containers}): start it without --containers to run a folder, or use --tunnel`,
  );
}

/** Makes a copy of a folder the image of an app, and returns its digest: that of an earlier copy if the backend is the same. */
export async function takeFolder(dev: DevPlatform, appName: string, folder: string): Promise<string> {
  await linkFolder(dev, appName, folder);
  const response = await fetch(`${dev.httpUrl}/dev/images`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ app: appName }),
  }).catch((cause: Error) => {
    throw new Unreachable(dev.httpUrl, cause.cause instanceof Error ? cause.cause : cause);
  });
  const text = await response.text();
  if (!response.ok) throw Refusal.ofBody(response.status, text);
  return (JSON.parse(text) as { readonly digest: string }).digest;
}

async function linkFolder({ dataFolder }: DevPlatform, appName: string, folder: string): Promise<void> {
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
