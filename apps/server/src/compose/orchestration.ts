import { createMarketplaceReads, type LiveApps } from "@appserver/marketplace";
import { createOrchestration, type Orchestration, type OrchestrationDeps } from "@appserver/orchestration";
import { SqlUsageHistory } from "@appserver/records";
import {
  createConfigurationDigests,
  createImageStages,
  createReplicaCounts,
  createSecretSeal,
  createSettingVariables,
  type EncryptionKeys,
} from "@appserver/settings";
import { desiredApps } from "../wiring/desired-apps.ts";

interface OrchestrationParts
  extends Omit<OrchestrationDeps, "apps" | "marketplace" | "settings" | "digests" | "seal" | "usageHistory"> {
  readonly apps: LiveApps;
  readonly keys: EncryptionKeys;
  /** A development platform sends no traces. */
  readonly telemetry?: { readonly otlpEndpoint: string | undefined };
}

/** Composes the orchestrator with what it reads of other services' tables. */
export function composeOrchestration({ apps, keys, telemetry, ...parts }: OrchestrationParts): Orchestration {
  const { database, clock } = parts;
  const marketplace = createMarketplaceReads(database);
  return createOrchestration({
    ...parts,
    // Also if the configuration file has it.
    platform: { ...parts.platform, APPSERVER_OTLP_ENDPOINT: telemetry?.otlpEndpoint },
    apps: desiredApps(apps, { stages: createImageStages(database), replicas: createReplicaCounts(database) }, marketplace),
    marketplace,
    usageHistory: new SqlUsageHistory(database, clock),
    settings: createSettingVariables({ database, keys, clock }),
    digests: createConfigurationDigests(keys),
    seal: createSecretSeal({ keys, clock }),
  });
}

/** Returns the variables by which apps find the platform at this host (docs/interface/containers.md#environment). */
export function platformAddresses(host: string, httpPort: number, grpcPort: number): Readonly<Record<string, string>> {
  return {
    APPSERVER_HTTP_URL: `http://${host}:${httpPort}`,
    APPSERVER_GRPC_ADDRESS: `${host}:${grpcPort}`,
    APPSERVER_GRAPHQL_URL: `http://${host}:${httpPort}/graphql`,
  };
}
