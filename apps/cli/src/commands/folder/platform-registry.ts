import { imageKindHeader } from "@appserver/contracts/folder-images";
import type { GlobalOptions } from "../../global-options.ts";
import { send } from "../../http.ts";
import { UsageError } from "../../usage-error.ts";

/** A registry, and what Docker needs to push there. */
export interface PushRegistry {
  /** Registry and path before the names of apps. */
  readonly name: string;
  /** The password for it. Undefined: Docker has credentials of its own from `docker login`. */
  readonly token?: string | undefined;
}

/**
 * Returns the registry of the platform itself, or `folders` if it takes folders of apps. Undefined if it has none. Throws {@link UsageError} if
 * Docker does not push there. Rejects as `send` does.
 */
export async function platformRegistry(options: GlobalOptions): Promise<PushRegistry | "folders" | undefined> {
  const response = await send(options, { path: "/v2/" });
  response.resume();
  if (response.headers["docker-distribution-api-version"] === undefined) return undefined;
  if (response.headers[imageKindHeader] === "folders") return "folders";
  return { name: registryName(options.http), token: options.token };
}

/** Returns host and port as Docker names them. Throws {@link UsageError} for an address that it does not push to. */
export function registryName(http: string): string {
  const { protocol, hostname, port } = new URL(http);
  if (protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
    throw new UsageError(
      `Docker pushes images over HTTPS only, except to this machine: give the https:// address of the platform in place of ${http}, or another registry with --registry`,
    );
  const defaultPort = protocol === "https:" ? "443" : "80";
  // Docker takes the first part of a name as a host only if it has a dot or a port.
  return port === "" && protocol === "https:" && hostname.includes(".") ? hostname : `${hostname}:${port || defaultPort}`;
}
