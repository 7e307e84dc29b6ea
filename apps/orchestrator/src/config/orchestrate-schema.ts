import { defineSchema, optional, pick, type Schema } from "@appserver/configuration";
import {
  containersSection,
  databaseFindings,
  databaseSection,
  dockerSection,
  orchestratorSection,
  platformSection,
  rabbitmqFindings,
  rabbitmqSection,
  serverSection,
  telemetrySection,
} from "@appserver/configuration/sections";

/** What `appserver orchestrate` reads (specification §8, orchestrator settings). */
export const orchestrateSections = {
  server: pick(serverSection, "instance", "bindAddress"),
  // The texts of specification §7.3 come first: a password that is missing too is the database's to tell.
  database: {
    ...databaseSection,
    settings: { ...databaseSection.settings, password: { ...optional(databaseSection.settings.password), default: "" } },
  },
  // The orchestrator's table has no such switch: a URL alone means RabbitMQ. An explicit `false` is the server's and holds.
  rabbitmq: {
    ...rabbitmqSection,
    settings: { ...rabbitmqSection.settings, enabled: optional(rabbitmqSection.settings.enabled) },
  },
  telemetry: telemetrySection,
  orchestrator: orchestratorSection,
  docker: dockerSection,
  containers: containersSection,
  platform: platformSection,
} as const;

export const orchestrateSchema: Schema<typeof orchestrateSections> = defineSchema({
  process: "orchestrate",
  sections: orchestrateSections,
  rules: (found) => [...databaseFindings(found.database), ...rabbitmqFindings(found.rabbitmq)],
});
