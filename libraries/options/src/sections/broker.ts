import { defineSection } from "../schema.ts";
import { driverName } from "../types/driver-name.ts";
import { integer, matching } from "../types/plain-types.ts";

const queuePrefix = matching(/^[A-Za-z0-9._:-]{1,100}$/, "1 to 100 letters, digits, dots, colons, hyphens and underscores");

/** The event bus (docs/interface/events.md#broker-layout, docs/interface/limits.md#events). */
export const brokerSection = defineSection({
  yaml: "broker",
  doc: "The event broker.",
  options: {
    driver: {
      env: "APPSERVER_BROKER_DRIVER",
      yaml: "driver",
      type: driverName,
      default: "postgres",
      switch: {
        env: "APPSERVER_RABBITMQ_ENABLED",
        section: { yaml: "rabbitmq", aliases: ["eventbus"] },
        yaml: "enabled",
        on: "rabbitmq",
        off: "postgres",
      },
      doc: "What carries events. Default of the orchestrator: `rabbitmq` if its URL is given",
    },
    maxRetries: {
      env: "APPSERVER_BROKER_MAX_RETRIES",
      aliases: ["APPSERVER_RABBITMQ_MAX_RETRIES"],
      yaml: "max_retries",
      type: integer(0, 100),
      default: "5",
      doc: "Number of retries before an event becomes a dead letter",
    },
    prefetchCount: {
      env: "APPSERVER_BROKER_PREFETCH_COUNT",
      aliases: ["APPSERVER_RABBITMQ_PREFETCH_COUNT"],
      yaml: "prefetch_count",
      type: integer(1, 65_535),
      default: "10",
      doc: "Maximum number of events that a consumer handles concurrently",
    },
    serverQueuePrefix: {
      env: "APPSERVER_BROKER_SERVER_QUEUE_PREFIX",
      yaml: "server_queue_prefix",
      type: queuePrefix,
      default: "appserver.subscriber.",
      doc: "Prefix of the server's queues. It must differ from the orchestrator's: with shared queues, both would miss events",
    },
    orchestratorQueuePrefix: {
      env: "APPSERVER_BROKER_ORCHESTRATOR_QUEUE_PREFIX",
      yaml: "orchestrator_queue_prefix",
      type: queuePrefix,
      default: "orchestrator.subscriber.",
      doc: "Prefix of the orchestrator's queues",
    },
  },
});
