import { AcmeAgent } from "@appserver/certificates-acme";
import { SystemClock } from "@appserver/kernel";
import type { ServeConfig } from "../config/serve-config.ts";
import { openLog } from "../log/open-log.ts";

/** Starts what gets certificates by ACME, and returns the files that it writes. They exist. Rejects with StartError. */
export async function startCertificates({ acme, server, telemetry }: ServeConfig) {
  const { origin, hostname } = new URL(server.publicUrl ?? "");
  const agent = new AcmeAgent({
    directoryUrl: acme.directoryUrl,
    email: acme.email,
    hosts: [...new Set([hostname, ...acme.hosts])],
    folder: acme.folder,
    bindAddress: server.bindAddress,
    httpPort: acme.httpPort,
    publicOrigin: origin,
    authorityCertificates: acme.caFile?.text,
    clock: new SystemClock(),
    logger: openLog({ service: "appserver", level: telemetry.logLevel }),
  });
  await agent.start();
  return agent.files;
}
