import { defineSection } from "../schema.ts";
import { byteSize } from "../types/byte-size.ts";
import { duration, durationOrZero } from "../types/duration.ts";
import { certificateFile, privateKeyFile } from "../types/file-content.ts";
import { listOf } from "../types/list.ts";
import { type OptionType, scalar } from "../types/option-type.ts";
import { address, boolean, integer, listenPort, matching, network, oneOf } from "../types/plain-types.ts";
import { origin, url } from "../types/url-types.ts";

const workers: OptionType<number | "auto"> = scalar("auto (one per core), or a whole number, 1 or more", (given) => {
  if (given === "auto") return given;
  return /^[1-9]\d{0,3}$/.test(given) ? Number(given) : undefined;
});

/** Listeners of the application server (docs/interface/limits.md#listeners). */
export const serverSection = defineSection({
  yaml: "server",
  doc: "The ports, time limits and size limits of the application server.",
  options: {
    instance: {
      env: "APPSERVER_INSTANCE",
      yaml: "instance",
      type: matching(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
        "at most 63 letters, digits, dots, hyphens and underscores, the first a letter or digit",
      ),
      default: "appserver",
      doc: "Name of this installation in container labels and event sources. All its processes need the same name",
    },
    bindAddress: {
      env: "APPSERVER_BIND_ADDRESS",
      yaml: "bind_address",
      flag: "bind-address",
      type: address,
      default: "0.0.0.0",
      doc: "Address that HTTP and gRPC listen on",
    },
    httpPort: {
      env: "APPSERVER_HTTP_PORT",
      yaml: "http_port",
      flag: "http-port",
      type: listenPort,
      default: "8080",
      doc: "Port for HTTP, GraphQL and WebSocket",
    },
    grpcPort: {
      env: "APPSERVER_GRPC_PORT",
      yaml: "grpc_port",
      flag: "grpc-port",
      type: listenPort,
      default: "9090",
      doc: "Port for gRPC, gRPC-Web and Connect",
    },
    publicUrl: {
      env: "APPSERVER_PUBLIC_URL",
      yaml: "public_url",
      flag: "public-url",
      type: url("https", "http"),
      doc: "The URL of the platform for browsers. Needed if a proxy in front of it changes the scheme, host or port. Pages of this origin count as pages of the platform",
    },
    workers: {
      env: "APPSERVER_WORKERS",
      yaml: "workers",
      flag: "workers",
      type: workers,
      default: "auto",
      doc: "Number of processes that share the ports",
    },
    trustedProxies: {
      env: "APPSERVER_TRUSTED_PROXIES",
      yaml: "trusted_proxies",
      type: listOf(network),
      default: "",
      doc: "Proxies in front of the platform. Their `X-Forwarded-For` is trusted",
    },
    allowedOrigins: {
      env: "APPSERVER_ALLOWED_ORIGINS",
      yaml: "allowed_origins",
      type: listOf(origin),
      default: "",
      doc: "Other origins whose pages may call the platform with credentials (CORS, WebSockets)",
    },
    tlsEnabled: {
      env: "APPSERVER_TLS_ENABLED",
      yaml: "tls_enabled",
      type: boolean,
      default: "false",
      doc: "TLS on the HTTP port",
    },
    tlsCertFile: {
      env: "APPSERVER_TLS_CERT_FILE",
      yaml: "tls_cert_file",
      type: certificateFile,
      doc: "Certificate, followed by its intermediate certificates",
    },
    tlsKeyFile: {
      env: "APPSERVER_TLS_KEY_FILE",
      yaml: "tls_key_file",
      type: privateKeyFile,
      doc: "Private key of the certificate",
    },
    http2Enabled: {
      env: "APPSERVER_HTTP2_ENABLED",
      yaml: "http2_enabled",
      type: boolean,
      default: "true",
      doc: "HTTP/2 in addition to HTTP/1.1: over TLS, or as cleartext h2c",
    },
    plainPath: {
      env: "APPSERVER_PLAIN_PATH",
      yaml: "plain_path",
      type: boolean,
      default: "true",
      doc: "Whether plain requests of HTTP/1.1 are served without Node's HTTP server, at seven tenths of the cost. For emergencies",
    },
    grpcTlsEnabled: {
      env: "APPSERVER_GRPC_TLS_ENABLED",
      yaml: "grpc_tls_enabled",
      type: boolean,
      doc: "TLS on the gRPC port, with the same certificate. Default: the value of `tls_enabled`",
    },
    grpcClientCertificates: {
      env: "APPSERVER_GRPC_CLIENT_CERTIFICATES",
      yaml: "grpc_client_certificates",
      type: oneOf("off", "optional", "required"),
      default: "off",
      doc: "Whether apps may or must present the certificate that they registered with (mutual TLS)",
    },
    grpcReflectionEnabled: {
      env: "APPSERVER_GRPC_REFLECTION_ENABLED",
      yaml: "grpc_reflection_enabled",
      type: boolean,
      default: "false",
      doc: "gRPC server reflection",
    },
    headerTimeoutMs: {
      env: "APPSERVER_HEADER_TIMEOUT",
      yaml: "header_timeout",
      type: duration,
      default: "15s",
      doc: "Maximum time until the last header of a request arrives",
    },
    readTimeoutMs: {
      env: "APPSERVER_READ_TIMEOUT",
      yaml: "read_timeout",
      type: duration,
      default: "30s",
      doc: "Maximum pause of a request's body. On gRPC, maximum time until a message has arrived",
    },
    writeTimeoutMs: {
      env: "APPSERVER_WRITE_TIMEOUT",
      yaml: "write_timeout",
      type: duration,
      default: "30s",
      doc: "Maximum time without progress while a client reads a response",
    },
    idleTimeoutMs: {
      env: "APPSERVER_IDLE_TIMEOUT",
      yaml: "idle_timeout",
      type: duration,
      default: "120s",
      doc: "Maximum time between two requests on a connection",
    },
    shutdownTimeoutMs: {
      env: "APPSERVER_SHUTDOWN_TIMEOUT",
      yaml: "shutdown_timeout",
      type: duration,
      default: "30s",
      doc: "Maximum time for requests in progress when the server stops",
    },
    drainDelayMs: {
      env: "APPSERVER_DRAIN_DELAY",
      yaml: "drain_delay",
      type: durationOrZero,
      default: "0",
      doc: "How long a stopping server accepts requests while `/ready` returns 503, so that load balancers notice",
    },
    maxHeaderBytes: {
      env: "APPSERVER_MAX_HEADER_BYTES",
      yaml: "max_header_bytes",
      type: byteSize,
      default: "1048576",
      doc: "Maximum size of all headers of a request",
    },
    maxBodyBytes: {
      env: "APPSERVER_MAX_BODY_BYTES",
      yaml: "max_body_bytes",
      type: byteSize,
      default: "10MiB",
      doc: "Maximum body of a proxied request, unless the app declares another limit",
    },
    maxBufferedBytes: {
      env: "APPSERVER_MAX_BUFFERED_BYTES",
      yaml: "max_buffered_bytes",
      type: byteSize,
      default: "256MiB",
      doc: "Memory of one process for request bodies, on all ports. Unauthenticated callers may use half of it",
    },
    maxConcurrentStreams: {
      env: "APPSERVER_MAX_CONCURRENT_STREAMS",
      yaml: "max_concurrent_streams",
      type: integer(1, 100_000),
      default: "100",
      doc: "Maximum number of concurrent requests on one HTTP/2 connection",
    },
    maxConnectionAgeMs: {
      env: "APPSERVER_MAX_CONNECTION_AGE",
      yaml: "max_connection_age",
      type: durationOrZero,
      default: "5m",
      doc: "How long an HTTP/2 connection takes new requests, of gRPC too, or up to a fifth less: its client then opens another one, which a load balancer may give to another server. `0`: without limit",
    },
  },
});

/** The console (docs/interface/console.md). */
export const consoleSection = defineSection({
  yaml: "console",
  doc: "The web application for people.",
  options: {
    enabled: {
      env: "APPSERVER_CONSOLE_ENABLED",
      yaml: "enabled",
      type: boolean,
      default: "true",
      doc: "Whether `/` and `/console` serve the console. Otherwise `/` is a page that lists paths",
    },
  },
});

/** GraphQL (docs/interface/graphql.md#access). */
export const graphqlSection = defineSection({
  yaml: "graphql",
  doc: "GraphQL over HTTP and WebSocket.",
  options: {
    auth: {
      env: "APPSERVER_GRAPHQL_AUTH",
      yaml: "auth",
      type: oneOf("off", "optional", "required"),
      default: "required",
      doc: "Whether callers need credentials. `off` makes every caller an administrator and is accepted only on a loopback address, and never by `appserver up`",
    },
    playgroundEnabled: {
      env: "APPSERVER_GRAPHQL_PLAYGROUND_ENABLED",
      yaml: "playground_enabled",
      type: boolean,
      default: "false",
      doc: "Whether `/playground` serves an editor for the API, every caller may introspect the GraphQL schema, and errors suggest names. Administrators always may introspect",
    },
    maxBodyBytes: {
      env: "APPSERVER_GRAPHQL_MAX_BODY_BYTES",
      yaml: "max_body_bytes",
      type: byteSize,
      default: "1MiB",
      doc: "Maximum body of a GraphQL request",
    },
  },
});
