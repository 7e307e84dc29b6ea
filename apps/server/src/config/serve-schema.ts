import type { Driver, Family } from "@appserver/driver";
import { type FoundValues, type OptionIssue, pick } from "@appserver/options";
import {
  acmeSection,
  activitySection,
  appsSection,
  assetsSection,
  authorizationSection,
  authSection,
  brandingSection,
  brokerSection,
  cacheSection,
  consoleSection,
  containersSection,
  databaseIssues,
  databaseSection,
  graphqlSection,
  hooksSection,
  identitySection,
  mailSection,
  messageIssues,
  metricsSection,
  notificationsSection,
  permissionsSection,
  proxySection,
  queuePrefixIssues,
  registrySection,
  retentionSection,
  serverSection,
  settingsEncryptionSection,
  telemetrySection,
  upstreamSection,
} from "@appserver/options/sections";
import type { DriverSchema } from "./drivers/driver-catalogue.ts";
import { encryptionKeyIssues } from "./encryption-keys.ts";

/** The options that `appserver serve` reads (docs/reference/options.md). */
export const serveSections = {
  server: serverSection,
  acme: acmeSection,
  graphql: graphqlSection,
  console: consoleSection,
  branding: brandingSection,
  database: databaseSection,
  cache: cacheSection,
  broker: brokerSection,
  auth: authSection,
  identity: identitySection,
  authorization: authorizationSection,
  settingsEncryption: settingsEncryptionSection,
  apps: pick(
    appsSection,
    "keepVersions",
    "requireDigest",
    "listedToAll",
    "drainTimeoutMs",
    "sleepAfterMs",
    "wakeTimeoutMs",
    "publicWakesPerAddress",
    "publicWakes",
  ),
  assets: assetsSection,
  upstream: upstreamSection,
  proxy: proxySection,
  hooks: hooksSection,
  mail: mailSection,
  notifications: notificationsSection,
  activity: activitySection,
  permissions: permissionsSection,
  retention: retentionSection,
  telemetry: telemetrySection,
  metrics: metricsSection,
  // The event `app.installed` contains these values of the image.
  // The limits are those that an app may declare. The driver decides what kind of images is pushed.
  containers: pick(
    containersSection,
    "driver",
    "registryUrl",
    "defaultImageStage",
    "networkPool",
    "cpuShares",
    "memoryMb",
    "pids",
    "maxCpuShares",
    "maxMemoryMb",
    "maxPids",
    "maxReplicas",
  ),
  registry: registrySection,
} as const;

export const serveSchema = {
  process: "serve",
  families: ["authorization", "broker", "cache", "identity"],
  sections: serveSections,
  rules: (found, chosen) => [
    ...tlsIssues(found.server),
    ...acmeIssues(found),
    ...graphqlIssues(found),
    ...databaseIssues(found.database),
    ...queuePrefixIssues(found.broker),
    ...sharingIssues(found, chosen("cache")),
    ...registrationIssues(found.auth),
    ...messageIssues(found),
    ...encryptionIssues(found.settingsEncryption),
    ...registryIssues(found),
  ],
} as const satisfies DriverSchema<typeof serveSections, Family>;

type Found = FoundValues<typeof serveSections>;

function tlsIssues(server: Found["server"]): readonly OptionIssue[] {
  const { tlsEnabled, grpcTlsEnabled = tlsEnabled, tlsCertFile, tlsKeyFile, grpcClientCertificates } = server;
  const issues: OptionIssue[] = [];
  const needed = "missing; required if TLS is enabled";
  if ((tlsEnabled || grpcTlsEnabled) && !tlsCertFile) issues.push({ at: ["server", "tlsCertFile"], message: needed });
  if ((tlsEnabled || grpcTlsEnabled) && !tlsKeyFile) issues.push({ at: ["server", "tlsKeyFile"], message: needed });
  if (grpcTlsEnabled === false && grpcClientCertificates !== undefined && grpcClientCertificates !== "off") {
    issues.push({ at: ["server", "grpcClientCertificates"], message: "expected off, or TLS on the gRPC port" });
  }
  return issues;
}

interface AcmeValues {
  readonly acme: Pick<Found["acme"], "enabled">;
  readonly server: Pick<Found["server"], "publicUrl" | "tlsCertFile">;
}

/** The primary process gets certificates, and gives them to servers as files. */
export function acmeIssues({ acme, server }: AcmeValues): readonly OptionIssue[] {
  if (!acme.enabled) return [];
  const { publicUrl, tlsCertFile } = server;
  const issues: OptionIssue[] = [];
  const host = publicUrl === undefined ? undefined : new URL(publicUrl);
  const isNamed = host?.protocol === "https:" && /[a-z]/.test(host.hostname) && host.hostname.includes(".");
  if (!isNamed)
    issues.push({ at: ["server", "publicUrl"], message: "expected https and a name of DNS; acme.enabled needs it" });
  if (tlsCertFile) issues.push({ at: ["server", "tlsCertFile"], message: "expected nothing here, or acme.enabled false" });
  return issues;
}

/** Without authentication every caller is an administrator, so the server may not listen for other machines (ADR 0010). */
function graphqlIssues({ graphql, server }: Found): readonly OptionIssue[] {
  const address = server.bindAddress;
  if (graphql.auth !== "off" || address === undefined || address === "::1" || address.startsWith("127.")) return [];
  return [
    { at: ["graphql", "auth"], message: `expected optional or required, or a loopback bind_address instead of ${address}` },
  ];
}

/** Processes must share used signatures: a signed request that one process accepted must not be accepted by another. */
function sharingIssues({ server, cache }: Found, driver: Driver<"cache"> | undefined): readonly OptionIssue[] {
  const { workers } = server;
  const isShared = driver === undefined || driver.isShared;
  if (isShared || cache.acceptUnshared || workers === undefined || workers === "auto" || workers < 2) return [];
  const message = `expected 1 or auto instead of ${workers} without a shared cache, or cache.accept_unshared: each process would accept the same signed request once`;
  return [{ at: ["server", "workers"], message }];
}

export function registrationIssues({
  registration,
  registrationToken,
  registrationCaFile,
}: Found["auth"]): readonly OptionIssue[] {
  if (registration === "ca" && !registrationCaFile)
    return [{ at: ["auth", "registrationCaFile"], message: "missing; required if registration is ca" }];
  if (registration !== "token" || registrationToken !== undefined) return [];
  const message =
    "registration is token, but APPSERVER_REGISTRATION_TOKEN is not given: only people and service accounts register apps";
  return [{ at: ["auth", "registrationToken"], message, severity: "warning" }];
}

function registryIssues({ registry, containers }: Pick<Found, "registry" | "containers">): readonly OptionIssue[] {
  if (registry.folder === undefined) return [];
  const issues: OptionIssue[] = [];
  if (registry.address === undefined && containers.registryUrl === undefined)
    issues.push({
      at: ["registry", "address"],
      message: "missing; required if registry.folder is given, unless containers.registry_url is",
    });
  return [...issues, ...shortestKeepIssues(registry)];
}

export function shortestKeepIssues({ keepUnusedMs }: Pick<Found["registry"], "keepUnusedMs">): readonly OptionIssue[] {
  if (keepUnusedMs === undefined || keepUnusedMs >= shortestKeepMs) return [];
  return [{ at: ["registry", "keepUnusedMs"], message: "expected at least 1h: a push must not lose its layers" }];
}

/** The longest time between two requests of one push. */
const shortestKeepMs = 3_600_000;

function encryptionIssues({ encryptionKey, encryptionKeys = [] }: Found["settingsEncryption"]): readonly OptionIssue[] {
  if (encryptionKey === undefined && encryptionKeys.length === 0) {
    return [
      {
        at: ["settingsEncryption", "encryptionKey"],
        message: `missing; expected ${settingsEncryptionSection.options.encryptionKey.type.expected}`,
      },
    ];
  }
  return encryptionKeyIssues({ encryptionKey, encryptionKeys });
}
