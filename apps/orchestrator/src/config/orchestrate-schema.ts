import { defineSchema, optional, pick, type Schema } from "@appserver/options";
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
} from "@appserver/options/sections";

/** The options that `appserver orchestrate` reads (docs/reference/options.md). */
export const orchestrateSections = {
  server: pick(serverSection, "instance", "bindAddress"),
  // The start conditions are reported first (docs/interface/errors.md#orchestrator-errors). Therefore a missing password is no
  // error here; the connection to the database fails later.
  database: {
    ...databaseSection,
    options: { ...databaseSection.options, password: { ...optional(databaseSection.options.password), default: "" } },
  },
  // The orchestrator has no such switch: a URL alone enables RabbitMQ. An explicit `false`, set for the server, disables it.
  rabbitmq: {
    ...rabbitmqSection,
    options: { ...rabbitmqSection.options, enabled: optional(rabbitmqSection.options.enabled) },
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
