import type { Family } from "@appserver/driver";
import { optional, pick } from "@appserver/options";
import {
  appsSection,
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
  apps: pick(appsSection, "settleTimeMs", "drainTimeoutMs"),
  containers: containersSection,
  platform: platformSection,
  registry: pick(registrySection, "address"),
} as const;

export const orchestrateSchema = {
  process: "orchestrate",
  families: ["broker", "containers"],
  sections: orchestrateSections,
  rules: (found) => [
    ...databaseIssues(found.database),
    ...queuePrefixIssues(found.broker),
    ...encryptionKeyIssues(found.settingsEncryption),
  ],
} as const satisfies DriverSchema<typeof orchestrateSections, Family>;
