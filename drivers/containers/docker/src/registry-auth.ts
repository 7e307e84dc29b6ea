import type { RegistryCredentials } from "@appserver/kernel/ports";

/**
 * Returns the header that passes credentials to the engine. URL-safe Base64 *with* padding: the engine treats an undecodable
 * value as "no credentials" without an error.
 */
export function registryAuth(
  credentials?: RegistryCredentials,
  registryHost = "https://index.docker.io/v1/",
): Record<string, string> {
  const auth = credentials ? { ...credentials, serveraddress: registryHost } : {};
  const encoded = Buffer.from(JSON.stringify(auth)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
  return { "x-registry-auth": encoded };
}
