import { defineDriver, endpointsOf, types } from "@appserver/driver";

/** Ports of a server, with and without TLS, and of its management. */
const siblingPorts = [5671, 5672, 15671, 15672];

export const driver = defineDriver({
  family: "broker",
  version: 1,
  name: "rabbitmq",
  doc: "RabbitMQ",
  options: {
    yaml: "rabbitmq",
    aliases: ["eventbus"],
    doc: "RabbitMQ (docs/interface/events.md#broker-layout).",
    options: {
      url: {
        env: "APPSERVER_RABBITMQ_URL",
        yaml: "url",
        type: types.url("amqp", "amqps"),
        inFile: true,
        required: true,
        doc: "`amqp[s]://user:password@host[:port][/vhost]`",
      },
      caFile: {
        env: "APPSERVER_RABBITMQ_CA_FILE",
        yaml: "ca_file",
        type: types.certificateFile,
        doc: "Certificate authorities for the server's certificate, for `amqps://`. Default: the authorities that Node trusts",
      },
    },
  },
  givenBy: "url",
  endpoints: ({ url }) => endpointsOf([url], siblingPorts),
  open: async ({ url, caFile }, { prefetch, maxRetries, clock, logger }) => {
    const { RabbitBroker } = await import("./rabbit-broker.ts");
    return new RabbitBroker({ url, clock, logger, prefetch, maxRetries, ...(caFile && { tls: { ca: caFile.text } }) });
  },
});
