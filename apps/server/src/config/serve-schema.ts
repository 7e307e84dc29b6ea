import { defineSchema, type Finding, type FoundValues, pick, type Schema } from "@appserver/options";
import {
  activitySection,
  assetsSection,
  authSection,
  authServicesSection,
  brokerFindings,
  brokerSection,
  cacheSection,
  databaseFindings,
  databaseSection,
  dockerSection,
  graphqlSection,
  hooksSection,
  metricsSection,
  permissionsSection,
  proxySection,
  rabbitmqSection,
  serverSection,
  settingsEncryptionSection,
  telemetrySection,
  upstreamSection,
} from "@appserver/options/sections";

/** The options that `appserver serve` reads (docs/reference/options.md). */
export const serveSections = {
  server: serverSection,
  graphql: graphqlSection,
  database: databaseSection,
  cache: cacheSection,
  broker: brokerSection,
  rabbitmq: rabbitmqSection,
  auth: authSection,
  authServices: authServicesSection,
  settingsEncryption: settingsEncryptionSection,
  assets: assetsSection,
  upstream: upstreamSection,
  proxy: proxySection,
  hooks: hooksSection,
  activity: activitySection,
  permissions: permissionsSection,
  telemetry: telemetrySection,
  metrics: metricsSection,
  // The event `app.installed` contains these values of the image.
  docker: pick(dockerSection, "registryUrl", "defaultImageStage"),
} as const;

export const serveSchema: Schema<typeof serveSections> = defineSchema({
  process: "serve",
  sections: serveSections,
  rules: (found) => [
    ...tlsFindings(found.server),
    ...graphqlFindings(found),
    ...sharingFindings(found),
    ...databaseFindings(found.database),
    ...brokerFindings(found),
    ...busFindings(found),
    ...registrationFindings(found.auth),
    ...encryptionFindings(found.settingsEncryption),
  ],
});

type Found = FoundValues<typeof serveSections>;

function tlsFindings(server: Found["server"]): readonly Finding[] {
  const { tlsEnabled, grpcTlsEnabled = tlsEnabled, tlsCertFile, tlsKeyFile, grpcClientCertificates } = server;
  const findings: Finding[] = [];
  const needed = "missing; needed while TLS is enabled";
  if ((tlsEnabled || grpcTlsEnabled) && !tlsCertFile) findings.push({ at: ["server", "tlsCertFile"], says: needed });
  if ((tlsEnabled || grpcTlsEnabled) && !tlsKeyFile) findings.push({ at: ["server", "tlsKeyFile"], says: needed });
  if (grpcTlsEnabled === false && grpcClientCertificates !== undefined && grpcClientCertificates !== "off") {
    findings.push({ at: ["server", "grpcClientCertificates"], says: "expected TLS on the gRPC port beside it" });
  }
  return findings;
}

/** Without authentication every caller is an administrator, so the server may not listen for other machines (ADR 0010). */
function graphqlFindings({ graphql, server }: Found): readonly Finding[] {
  const address = server.bindAddress;
  if (graphql.auth !== "off" || address === undefined || address === "::1" || address.startsWith("127.")) return [];
  return [{ at: ["graphql", "auth"], says: `expected optional or required, or a loopback bind_address instead of ${address}` }];
}

/** Processes must share used signatures: a signed request that one process accepted must not be accepted by another. */
function sharingFindings({ server, cache }: Found): readonly Finding[] {
  const { workers } = server;
  if (cache.driver !== "memory" || cache.acceptUnshared || workers === undefined || workers === "auto" || workers < 2)
    return [];
  const says = `expected 1 or auto instead of ${workers} without Redis, or cache.accept_unshared: each process would take a signed request once`;
  return [{ at: ["server", "workers"], says }];
}

function busFindings({ broker, rabbitmq }: Found): readonly Finding[] {
  if (broker.driver !== "postgres" || rabbitmq.url === undefined) return [];
  const says =
    "APPSERVER_RABBITMQ_URL is given but APPSERVER_RABBITMQ_ENABLED is not true, nor APPSERVER_BROKER_DRIVER rabbitmq: events go through PostgreSQL";
  return [{ at: ["broker", "driver"], says, severity: "warning" }];
}

function registrationFindings({ registration, registrationToken, registrationCaFile }: Found["auth"]): readonly Finding[] {
  if (registration === "ca" && !registrationCaFile)
    return [{ at: ["auth", "registrationCaFile"], says: "missing; needed while registration is by ca" }];
  if (registration !== "token" || registrationToken !== undefined) return [];
  const says = "registration is by token and APPSERVER_REGISTRATION_TOKEN is not given: nobody can register apps";
  return [{ at: ["auth", "registrationToken"], says, severity: "warning" }];
}

function encryptionFindings({ encryptionKey, encryptionKeys = [] }: Found["settingsEncryption"]): readonly Finding[] {
  if (encryptionKey === undefined && encryptionKeys.length === 0) {
    return [
      {
        at: ["settingsEncryption", "encryptionKey"],
        says: `missing; expected ${settingsEncryptionSection.options.encryptionKey.type.expected}`,
      },
    ];
  }
  if (encryptionKey === undefined || !encryptionKeys.some(({ id }) => id === defaultKeyId)) return [];
  const says = `the id ${defaultKeyId} is that of APPSERVER_SETTINGS_ENCRYPTION_KEY: expected another, or only one of the two`;
  return [{ at: ["settingsEncryption", "encryptionKeys"], says }];
}

/** Id of a key that is given without one. */
export const defaultKeyId = "default";
