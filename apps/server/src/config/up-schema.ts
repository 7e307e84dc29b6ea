import type { Family } from "@appserver/driver";
import { type FoundValues, type Option, type OptionIssue, optional, pick } from "@appserver/options";
import {
  appsSection,
  backupIssues,
  backupSection,
  containersSection,
  databaseDriverSection,
  databaseIssues,
  databaseSection,
  dataSection,
  messageIssues,
  queuePrefixIssues,
  registrySection,
  serverSection,
  upSection,
} from "@appserver/options/sections";
import type { DriverSchema } from "./drivers/driver-catalogue.ts";
import { containerSectionOfOneMachine, serverSectionOfOneMachine } from "./one-machine-sections.ts";
import { acmeIssues, registrationIssues, serveSections, shortestKeepIssues } from "./serve-schema.ts";

const { settingsEncryption: _keys, containers: _containers, ...sectionsOfServe } = serveSections;

/**
 * The options of `appserver up`: those of the server and of the orchestrator. What only a platform of several processes needs is not among
 * them, and neither are secrets that the data folder has.
 */
export const upSections = {
  ...sectionsOfServe,
  data: dataSection,
  backup: backupSection,
  up: upSection,
  databaseDriver: databaseDriverSection,
  server: {
    ...serverSection,
    options: {
      ...serverSectionOfOneMachine.options,
      ...pick(
        serverSection,
        "instance",
        "bindAddress",
        "trustedProxies",
        "allowedOrigins",
        "tlsCertFile",
        "tlsKeyFile",
        "grpcReflectionEnabled",
      ).options,
      publicUrl: { ...serverSection.options.publicUrl, required: true },
      // That of the public URL, if this process ends TLS.
      httpPort: optional(serverSection.options.httpPort),
    },
  },
  acme: {
    ...sectionsOfServe.acme,
    options: {
      ...pick(sectionsOfServe.acme, "directoryUrl", "email", "hosts", "httpPort", "caFile").options,
      // True if the public URL is https and there is no certificate.
      enabled: optional(sectionsOfServe.acme.options.enabled),
    },
  },
  database: {
    ...databaseSection,
    options: { ...databaseSection.options, password: { ...optional(databaseSection.options.password), default: "" } },
  },
  authorization: withDriver(sectionsOfServe.authorization, "embedded"),
  cache: withDriver(sectionsOfServe.cache, "memory"),
  identity: withDriver(sectionsOfServe.identity, "accounts"),
  apps: {
    ...appsSection,
    options: { ...appsSection.options, requireDigest: { ...appsSection.options.requireDigest, default: "true" } },
  },
  containers: {
    ...containersSection,
    options: {
      // Docker if its socket is there.
      driver: optional(containersSection.options.driver),
      ...containerSectionOfOneMachine.options,
      ...pick(containersSection, "networkName", "registryUrl", "registryUsername", "registryPassword", "databaseAdminUrl")
        .options,
    },
  },
  registry: {
    ...registrySection,
    options: pick(registrySection, "address", "maxLayerBytes", "maxAppBytes", "maxTotalBytes", "keepUnusedMs").options,
  },
} as const;

export const upSchema = {
  process: "up",
  families: ["authorization", "broker", "cache", "containers", "identity"],
  sections: upSections,
  rules: (found) => [
    ...certificateIssues(found),
    ...backupIssues(found.backup),
    ...databaseIssues(found.database),
    ...externalIssues(found),
    ...graphqlIssues(found),
    ...messageIssues(found),
    ...processIssues(found),
    ...queuePrefixIssues(found.broker),
    // People and service accounts register apps. The token is for those who have none.
    ...registrationIssues(found.auth).filter(({ severity }) => severity !== "warning"),
    ...shortestKeepIssues(found.registry),
  ],
} as const satisfies DriverSchema<typeof upSections, Family>;

type Found = FoundValues<typeof upSections>;

/** Returns the section with another driver as the default. */
function withDriver<const S extends { readonly options: { readonly driver: Option } }, const Name extends string>(
  section: S,
  name: Name,
) {
  const { driver } = section.options;
  return { ...section, options: { ...section.options, driver: { ...driver, default: name } } } as Omit<S, "options"> & {
    readonly options: Omit<S["options"], "driver"> & {
      readonly driver: Omit<S["options"]["driver"], "default"> & { readonly default: Name };
    };
  };
}

/** Returns whether an authority signs the certificate of the platform, if these values have no problem. */
export function usesAcme({ acme, server }: Pick<Found, "acme" | "server">): boolean {
  const isSecure = server.publicUrl?.startsWith("https:") ?? false;
  return acme.enabled ?? (isSecure && server.tlsCertFile === undefined);
}

function certificateIssues({ acme, server }: Found): readonly OptionIssue[] {
  const { tlsCertFile, tlsKeyFile } = server;
  const issues: OptionIssue[] = [];
  if (tlsCertFile && !tlsKeyFile)
    issues.push({ at: ["server", "tlsKeyFile"], message: "missing; required with tls_cert_file" });
  if (tlsKeyFile && !tlsCertFile)
    issues.push({ at: ["server", "tlsCertFile"], message: "missing; required with tls_key_file" });
  return [...issues, ...acmeIssues({ acme: { enabled: usesAcme({ acme, server }) }, server })];
}

function externalIssues({ database, databaseDriver }: Found): readonly OptionIssue[] {
  if (databaseDriver.driver !== "external" || database.password) return [];
  return [{ at: ["database", "password"], message: "missing; required if database.driver is external" }];
}

/** Without authentication every caller is an administrator, and apps reach the platform whatever its public address is. */
function graphqlIssues({ graphql }: Found): readonly OptionIssue[] {
  return graphql.auth === "off" ? [{ at: ["graphql", "auth"], message: "expected optional or required" }] : [];
}

function processIssues({ containers, up }: Found): readonly OptionIssue[] {
  if (containers.driver !== "process" || up.allowProcesses) return [];
  const message = "expected --allow-processes with it: apps then run as this user, can read the data folder and each other";
  return [{ at: ["containers", "driver"], message }];
}
