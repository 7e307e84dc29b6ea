import { defineSchema, type FoundSection, type OptionIssue, optional, pick, type Schema } from "@appserver/options";
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
  broker: { ...brokerSection, options: { driver: optional(brokerSection.options.driver) } },
  rabbitmq: rabbitmqSection,
  // A missing key is reported after the start conditions.
  settingsEncryption: settingsEncryptionSection,
  telemetry: telemetrySection,
  orchestrator: orchestratorSection,
  apps: pick(appsSection, "settleTimeMs", "drainTimeoutMs"),
  docker: dockerSection,
  containers: containersSection,
  platform: platformSection,
} as const;

export const orchestrateSchema: Schema<typeof orchestrateSections> = defineSchema({
  process: "orchestrate",
  sections: orchestrateSections,
  rules: (found) => [
    ...databaseIssues(found.database),
    ...driverIssues(found.containers),
    ...brokerIssues(found),
    ...encryptionKeyIssues(found.settingsEncryption),
  ],
});

/** Only `appserver dev` knows what runs for an image without an engine. */
function driverIssues({ driver }: Pick<FoundSection<typeof containersSection>, "driver">): readonly OptionIssue[] {
  if (driver !== "process") return [];
  return [
    { at: ["containers", "driver"], message: "expected a driver with an engine: process runs the apps of appserver dev only" },
  ];
}
