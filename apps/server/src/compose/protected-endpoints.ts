import { endpointsOf } from "@appserver/driver";
import type { Endpoint } from "@appserver/kernel/ports";
import type { ServeConfig } from "../config/serve-config.ts";

/** gRPC of a collector, in addition to the configured port. */
const collectorPorts = [4317, 4318];

/**
 * Returns the addresses of the dependencies of `appserver serve`. An app's backend may not have one of them, whatever is
 * allowed.
 */
export function protectedEndpoints({
  database,
  driverEndpoints,
  mail,
  telemetry,
  upstream,
}: Pick<ServeConfig, "database" | "driverEndpoints" | "mail" | "telemetry" | "upstream">): readonly Endpoint[] {
  return [
    // A host that starts with `/` is the folder of a socket.
    ...(database.host.startsWith("/") ? [] : [{ host: database.host, port: database.port }]),
    ...driverEndpoints,
    ...endpointsOf([mail.url]),
    ...endpointsOf([telemetry.otlpEndpoint], collectorPorts),
    ...upstream.deny.flatMap((entry) => ("host" in entry ? [entry] : [])),
  ];
}
