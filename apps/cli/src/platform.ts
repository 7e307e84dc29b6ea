import { readFileSync } from "node:fs";
import { createPlatformClient, type PlatformClient, type PlatformClientOptions } from "@appserver/sdk";
import type { GlobalOptions } from "./global-options.ts";
import { UsageError } from "./usage-error.ts";

/** Creates the platform client. Throws {@link UsageError} if the address is not a URL or the CA file cannot be read. */
export function connect(
  options: GlobalOptions,
  connection: Pick<PlatformClientOptions, "keepAliveMs" | "idleMs"> = {},
): PlatformClient {
  if (!URL.canParse(options.grpc))
    throw new UsageError(`--grpc must be a URL like http://127.0.0.1:8080, got ${JSON.stringify(options.grpc)}`);
  return createPlatformClient({
    ...connection,
    grpcUrl: options.grpc,
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.ca === undefined ? {} : { ca: readCertificates(options.ca) }),
  });
}

/** Reads the file of `--ca`. Throws {@link UsageError} if it cannot be read or has no certificate. */
export function readCertificates(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--ca: could not read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new UsageError(`--ca: ${file} contains no PEM certificate`);
  return pem;
}
