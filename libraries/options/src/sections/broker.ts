import { defineSection } from "../schema.ts";
import { oneOf } from "../types/plain-types.ts";

/** The event bus (docs/interface/events.md#broker-layout). */
export const brokerSection = defineSection({
  yaml: "broker",
  doc: "The event broker.",
  options: {
    driver: {
      env: "APPSERVER_BROKER_DRIVER",
      yaml: "driver",
      type: oneOf("postgres", "rabbitmq"),
      default: "postgres",
      switch: {
        env: "APPSERVER_RABBITMQ_ENABLED",
        section: { yaml: "rabbitmq", aliases: ["eventbus"] },
        yaml: "enabled",
        on: "rabbitmq",
        off: "postgres",
      },
      doc: "The platform's database, or RabbitMQ. Default of the orchestrator: RabbitMQ if its URL is given",
    },
  },
});
