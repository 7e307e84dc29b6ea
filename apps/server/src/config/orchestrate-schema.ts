import type { Driver, Family } from "@appserver/driver";
import { type FoundValues, type OptionIssue, optional, pick } from "@appserver/options";
import {
  appsSection,
  backupIssues,
  backupSection,
  brokerSection,
  containersSection,
  databaseIssues,
  databaseSection,
  orchestratorSection,
  platformSection,
  queuePrefixIssues,
  registrySection,
  serverSection,
  settingsEncryptionSection,
  telemetrySection,
} from "@appserver/options/sections";
import type { DriverSchema } from "./drivers/driver-catalogue.ts";
import { encryptionKeyIssues } from "./encryption-keys.ts";

/** The options that `appserver orchestrate` reads (docs/reference/options.md). */
export const orchestrateSections = {
  server: pick(serverSection, "instance", "bindAddress"),
  // The start conditions are reported first (docs/interface/errors.md#orchestrator-errors). Therefore a missing password is no
  // error here; the connection to the database fails later.
  database: {
    ...databaseSection,
    options: { ...databaseSection.options, password: { ...optional(databaseSection.options.password), default: "" } },
  },
  // Without a driver, a URL alone chooses RabbitMQ. A driver or a switch, set for the server, applies here too.
  broker: {
    ...brokerSection,
    options: { ...brokerSection.options, driver: optional(brokerSection.options.driver) },
  },
  // A missing key is reported after the start conditions.
  settingsEncryption: settingsEncryptionSection,
  telemetry: telemetrySection,
  orchestrator: orchestratorSection,
  apps: pick(appsSection, "settleTimeMs", "drainTimeoutMs", "keepSnapshots"),
  containers: containersSection,
  platform: platformSection,
  registry: pick(registrySection, "address"),
  backup: backupSection,
} as const;

export const orchestrateSchema = {
  process: "orchestrate",
  families: ["broker", "containers"],
  sections: orchestrateSections,
  rules: (found, chosen) => [
    ...backupIssues(found.backup),
    ...databaseIssues(found.database),
    ...queuePrefixIssues(found.broker),
    ...encryptionKeyIssues(found.settingsEncryption),
    ...processIssues(found, chosen("containers")),
  ],
} as const satisfies DriverSchema<typeof orchestrateSections, Family>;

/** Processes come from a registry, as containers do, and are not kept apart. */
function processIssues(
  { containers, registry }: FoundValues<typeof orchestrateSections>,
  driver: Driver<"containers"> | undefined,
): readonly OptionIssue[] {
  if (driver?.name !== "process") return [];
  const issues: OptionIssue[] = [];
  if (registry.address === undefined && containers.registryUrl === undefined)
    issues.push({ at: ["registry", "address"], message: "missing; required if containers.driver is process" });
  const message =
    "containers.driver is process: apps run as the user of the orchestrator, without isolation, and can read what this user can read";
  return [...issues, { at: ["containers", "driver"], message, severity: "warning" }];
}
