import { defineSection } from "../schema.ts";
import { duration } from "../types/duration.ts";
import { key32, namedKeys } from "../types/key-types.ts";
import { listOf } from "../types/list.ts";
import { boolean, network, oneOf, ratio, text } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** Encryption of apps' secret settings: specification §5, design/behaviour "Settings". */
export const settingsSection = defineSection({
  yaml: "settings",
  doc: "Encryption of the secret settings of apps. At least one key must be given.",
  settings: {
    encryptionKey: {
      env: "APPSERVER_SETTINGS_ENCRYPTION_KEY",
      yaml: "encryption_key",
      type: key32,
      secret: true,
      doc: "The key, with the id `default`; beside `encryption_keys` it is the oldest, and decrypts only",
    },
    encryptionKeys: {
      env: "APPSERVER_SETTINGS_ENCRYPTION_KEYS",
      yaml: "encryption_keys",
      type: namedKeys,
      secret: true,
      doc: "Keys for rotation: the first encrypts, all decrypt",
    },
  },
});

/** Asset serving: design/behaviour "UI (assets)". */
export const assetsSection = defineSection({
  yaml: "assets",
  doc: "Files of apps' pages.",
  settings: {
    unversionedCache: {
      env: "APPSERVER_ASSETS_UNVERSIONED_CACHE",
      yaml: "unversioned_cache",
      type: oneOf("immutable", "revalidate"),
      default: "immutable",
      doc: "What browsers are told of a URL without a version: to keep the file for good, or to ask again each time",
    },
    allowUnsigned: {
      env: "APPSERVER_ASSETS_ALLOW_UNSIGNED",
      yaml: "allow_unsigned",
      type: boolean,
      default: "false",
      doc: "Whether apps may register assets and manifests without a signature",
    },
  },
});

/** Where apps' upstreams may be: design/security, SSRF. */
export const upstreamSection = defineSection({
  yaml: "upstream",
  doc: "Backends of apps that run outside of the platform.",
  settings: {
    allow: {
      env: "APPSERVER_UPSTREAM_ALLOW",
      yaml: "allow",
      type: listOf(network),
      default: "",
      doc: "Private networks in which they may be; public addresses need no entry",
    },
    allowLoopback: {
      env: "APPSERVER_UPSTREAM_ALLOW_LOOPBACK",
      yaml: "allow_loopback",
      type: boolean,
      default: "false",
      doc: "Whether they may be on this machine's loopback addresses",
    },
  },
});

/** Delivery of hooks: specification §8, design/behaviour "Hooks". */
export const hooksSection = defineSection({
  yaml: "hooks",
  doc: "Delivery of hooks to apps.",
  settings: {
    retryDelaysMs: {
      env: "APPSERVER_HOOKS_RETRY_DELAYS",
      yaml: "retry_delays",
      type: listOf(duration),
      default: "5s,5m,30m",
      doc: "Waiting time before each retry; there are as many retries as delays",
    },
    timeoutMs: {
      env: "APPSERVER_HOOKS_TIMEOUT",
      yaml: "timeout",
      type: duration,
      default: "30s",
      doc: "How long an app may take to answer a delivery",
    },
  },
});

/** Logs, traces: specification §8. */
export const telemetrySection = defineSection({
  yaml: "telemetry",
  doc: "Logs and traces. Metrics are at `/metrics`.",
  settings: {
    logLevel: {
      env: "APPSERVER_LOG_LEVEL",
      yaml: "log_level",
      flag: "log-level",
      type: oneOf("debug", "info", "warn", "error"),
      default: "info",
      doc: "The least severe lines that are logged",
    },
    otlpEndpoint: {
      env: "APPSERVER_OTLP_ENDPOINT",
      aliases: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
      yaml: "otlp_endpoint",
      type: url("http", "https"),
      doc: "OpenTelemetry collector for traces over HTTP, without `/v1/traces`; none are sent where not given",
    },
    otlpHeaders: {
      env: "APPSERVER_OTLP_HEADERS",
      aliases: ["OTEL_EXPORTER_OTLP_HEADERS"],
      yaml: "otlp_headers",
      type: text,
      secret: true,
      doc: "Headers for the collector: `name=value,name=value`",
    },
    traceSampleRatio: {
      env: "APPSERVER_TRACE_SAMPLE_RATIO",
      yaml: "trace_sample_ratio",
      type: ratio,
      default: "1",
      doc: "Share of the requests that are traced, where the caller's trace does not say",
    },
  },
});
