import type { RegistryCredentials } from "@appserver/kernel/ports";

/**
 * The header by which the engine learns credentials. Base64 for URLs *with* its padding: the engine reads what it cannot
 * decode as "no credentials" and says nothing.
 */
export function registryAuth(
  credentials?: RegistryCredentials,
  registryHost = "https://index.docker.io/v1/",
): Record<string, string> {
  const auth = credentials ? { ...credentials, serveraddress: registryHost } : {};
  const encoded = Buffer.from(JSON.stringify(auth)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
  return { "x-registry-auth": encoded };
}
