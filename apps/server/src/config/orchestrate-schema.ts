import { defineSchema, optional, pick, type Schema } from "@appserver/options";
import {
  appsSection,
  brokerIssues,
  brokerSection,
  containersSection,
  databaseIssues,
  databaseSection,
  dockerSection,
  orchestratorSection,
  platformSection,
  rabbitmqSection,
  serverSection,
  settingsEncryptionSection,
  telemetrySection,
} from "@appserver/options/sections";
import { keyIdIssues } from "./encryption-keys.ts";

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
  broker: { ...brokerSection, options: { driver: optional(brokerSection.options.driver) } },
  rabbitmq: rabbitmqSection,
  telemetry: telemetrySection,
  orchestrator: orchestratorSection,
  apps: pick(appsSection, "settleTimeMs", "drainTimeoutMs"),
  docker: dockerSection,
  containers: containersSection,
  platform: platformSection,
  settingsEncryption: settingsEncryptionSection,
} as const;

export const orchestrateSchema: Schema<typeof orchestrateSections> = defineSchema({
  process: "orchestrate",
  sections: orchestrateSections,
  rules: (found) => [...databaseIssues(found.database), ...brokerIssues(found), ...keyIdIssues(found.settingsEncryption)],
});
