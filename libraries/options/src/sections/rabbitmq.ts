import { defineSection } from "../schema.ts";
import { certificateFile } from "../types/file-content.ts";
import { integer, matching } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

const queuePrefix = matching(/^[A-Za-z0-9._:-]{1,100}$/, "1 to 100 letters, digits, dots, colons, hyphens and underscores");

/** Events (docs/interface/events.md#broker-layout, docs/interface/limits.md#events). */
export const rabbitmqSection = defineSection({
  yaml: "rabbitmq",
  aliases: ["eventbus"],
  doc: "RabbitMQ, if `broker.driver` chooses it. Retries, prefetch and prefixes are those of every event bus.",
  options: {
    url: {
      env: "APPSERVER_RABBITMQ_URL",
      yaml: "url",
      type: url("amqp", "amqps"),
      inFile: true,
      doc: "`amqp[s]://user:password@host[:port][/vhost]`",
    },
    caFile: {
      env: "APPSERVER_RABBITMQ_CA_FILE",
      yaml: "ca_file",
      type: certificateFile,
      doc: "Authorities that issue its certificate, for `amqps://`; those that Node trusts where not given",
    },
    maxRetries: {
      env: "APPSERVER_RABBITMQ_MAX_RETRIES",
      yaml: "max_retries",
      type: integer(0, 100),
      default: "5",
      doc: "Retries of an event before it becomes a dead letter",
    },
    prefetchCount: {
      env: "APPSERVER_RABBITMQ_PREFETCH_COUNT",
      yaml: "prefetch_count",
      type: integer(1, 65_535),
      default: "10",
      doc: "Events that a consumer holds at a time",
    },
    serverQueuePrefix: {
      env: "APPSERVER_RABBITMQ_SERVER_QUEUE_PREFIX",
      yaml: "server_queue_prefix",
      type: queuePrefix,
      default: "appserver.subscriber.",
      doc: "Of the server's queues. The server and the orchestrator must not share queues, or each misses events",
    },
    orchestratorQueuePrefix: {
      env: "APPSERVER_RABBITMQ_ORCHESTRATOR_QUEUE_PREFIX",
      yaml: "orchestrator_queue_prefix",
      type: queuePrefix,
      default: "orchestrator.subscriber.",
      doc: "Of the orchestrator's queues",
    },
  },
});
