import type { GlobalOptions } from "../../global-options.ts";
import { UsageError } from "../../usage-error.ts";
import { buildImage, pushImage } from "./build-image.ts";
import { type DevPlatform, devPlatformAt, takeFolder } from "./dev-platform.ts";
import { platformRegistry } from "./platform-registry.ts";
import { pushFolder } from "./push-folder.ts";

export interface TargetFlags {
  /** Registry and path before the names of apps, as the platform has it in `containers.registry_url`. Default: that of the platform itself. */
  readonly registry?: string;
  /** The stage of the image that the platform runs. */
  readonly tag: string;
  /** Whether to approve the permissions that the app requests. */
  readonly approve: boolean;
}

/** Where the app of a folder runs, and how its code gets there. */
export interface DeployTarget {
  readonly httpUrl: string;
  /** Whether to approve the permissions that the app requests. */
  readonly approves: boolean;
  /** Whether the platform may refuse what the caller has no permission for. */
  readonly checksPermissions: boolean;
  /** Whether {@link provide} builds and pushes an image or a layer, which takes long. */
  readonly buildsImage: boolean;
  /**
   * Makes the present state of the folder the image of the app. Returns its digest, which the manifest then names. Undefined where only a
   * tag names it.
   */
  readonly provide: (appName: string, folder: string) => Promise<string | undefined>;
}

/**
 * Returns a development platform, which runs the folder itself or an image on its engine; or any other platform, which pulls an image or
 * a folder from a registry. Throws {@link UsageError} if that one has no registry and none is given.
 */
export async function findTarget(
  options: GlobalOptions,
  { registry: given, tag, approve }: TargetFlags,
): Promise<DeployTarget> {
  const dev = await devPlatformAt(options.http);
  if (!dev) {
    const registry = given === undefined ? await platformRegistry(options) : { name: given };
    if (registry === undefined)
      throw new UsageError(
        `${options.http} is not a development platform of this machine, so it runs the app from an image, and it has no registry of its own. --registry names where it pulls images from, as registry.example.com/apps: Docker builds the image here, and pushes it there`,
      );
    const httpUrl = new URL(options.http).origin;
    const provide = async (appName: string, folder: string): Promise<string> => {
      if (registry === "folders") return await pushFolder(options, { appName, folder, tag });
      const image = `${registry.name}/${appName}:${tag}`;
      await buildImage(image, folder);
      return await pushImage(image, folder, registry);
    };
    return { httpUrl, approves: approve, checksPermissions: true, buildsImage: true, provide };
  }
  if (dev.containers === "process") return folderTarget(dev);
  const provide = async (name: string, folder: string): Promise<undefined> => {
    await buildImage(`${name}:${tag}`, folder);
  };
  return { httpUrl: dev.httpUrl, approves: true, checksPermissions: false, buildsImage: true, provide };
}

/** Returns a development platform that runs the folder itself. It approves what the app requests: the folder is the developer's own. */
export function folderTarget(dev: DevPlatform): DeployTarget {
  const provide = (name: string, folder: string): Promise<string> => takeFolder(dev, name, folder);
  return { httpUrl: dev.httpUrl, approves: true, checksPermissions: false, buildsImage: false, provide };
}
