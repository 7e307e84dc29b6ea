import { AcmeAgent } from "@appserver/certificates-acme";
import { type Logger, SystemClock } from "@appserver/kernel";
import type { ServeConfig } from "../config/serve-config.ts";

/** The values that both `serve` and `up` have. */
interface AcmeConfig {
  readonly acme: Pick<ServeConfig["acme"], "directoryUrl" | "email" | "hosts" | "folder" | "httpPort" | "caFile">;
  readonly server: Pick<ServeConfig["server"], "publicUrl" | "bindAddress">;
}

/** Returns what gets certificates by ACME. Its files exist once it has started. */
export function certificateAgent({ acme, server }: AcmeConfig, logger: Logger): AcmeAgent {
  const { origin, hostname } = new URL(server.publicUrl ?? "");
  return new AcmeAgent({
    directoryUrl: acme.directoryUrl,
    email: acme.email,
    hosts: [...new Set([hostname, ...acme.hosts])],
    folder: acme.folder,
    bindAddress: server.bindAddress,
    httpPort: acme.httpPort,
    publicOrigin: origin,
    authorityCertificates: acme.caFile?.text,
    clock: new SystemClock(),
    logger,
  });
}
