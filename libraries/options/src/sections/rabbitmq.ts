import { defineSection } from "../schema.ts";
import { certificateFile } from "../types/file-content.ts";
import { integer, matching } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

const queuePrefix = matching(/^[A-Za-z0-9._:-]{1,100}$/, "1 to 100 letters, digits, dots, colons, hyphens and underscores");

/** Events (docs/interface/events.md#broker-layout, docs/interface/limits.md#events). */
export const rabbitmqSection = defineSection({
  yaml: "rabbitmq",
  aliases: ["eventbus"],
  doc: "RabbitMQ, if `broker.driver` chooses it. Retries, prefetch and prefixes apply to every broker.",
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
      doc: "Certificate authorities for the server's certificate, for `amqps://`. Default: the authorities that Node trusts",
    },
    maxRetries: {
      env: "APPSERVER_RABBITMQ_MAX_RETRIES",
      yaml: "max_retries",
      type: integer(0, 100),
      default: "5",
      doc: "Number of retries before an event becomes a dead letter",
    },
    prefetchCount: {
      env: "APPSERVER_RABBITMQ_PREFETCH_COUNT",
      yaml: "prefetch_count",
      type: integer(1, 65_535),
      default: "10",
      doc: "Maximum number of events that a consumer handles concurrently",
    },
    serverQueuePrefix: {
      env: "APPSERVER_RABBITMQ_SERVER_QUEUE_PREFIX",
      yaml: "server_queue_prefix",
      type: queuePrefix,
      default: "appserver.subscriber.",
      doc: "Prefix of the server's queues. It must differ from the orchestrator's: with shared queues, both would miss events",
    },
    orchestratorQueuePrefix: {
      env: "APPSERVER_RABBITMQ_ORCHESTRATOR_QUEUE_PREFIX",
      yaml: "orchestrator_queue_prefix",
      type: queuePrefix,
      default: "orchestrator.subscriber.",
      doc: "Prefix of the orchestrator's queues",
    },
  },
});
