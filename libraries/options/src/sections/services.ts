import { defineSection } from "../schema.ts";
import { byteSizeBetween } from "../types/byte-size.ts";
import { duration } from "../types/duration.ts";
import { key32, namedKeys } from "../types/key-types.ts";
import { listOf } from "../types/list.ts";
import { boolean, destination, integer, network, oneOf, ratio, text } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** Encryption of apps' secret settings (docs/interface/settings.md#encryption-keys). */
export const settingsEncryptionSection = defineSection({
  yaml: "settings",
  doc: "Encryption of the secret settings of apps. At least one key must be given.",
  options: {
    encryptionKey: {
      env: "APPSERVER_SETTINGS_ENCRYPTION_KEY",
      yaml: "encryption_key",
      type: key32,
      secret: true,
      doc: "The key, with the id `default`. If `encryption_keys` is also given, this key is the oldest and only decrypts",
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

/** Serving of assets (docs/interface/assets.md#caching). */
export const assetsSection = defineSection({
  yaml: "assets",
  doc: "Files of apps' pages.",
  options: {
    unversionedCache: {
      env: "APPSERVER_ASSETS_UNVERSIONED_CACHE",
      yaml: "unversioned_cache",
      type: oneOf("immutable", "revalidate"),
      default: "immutable",
      doc: "How browsers cache a URL without a version: permanently, or with a check at each use",
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

/** Versions of apps (docs/interface/states.md#switch). */
export const appsSection = defineSection({
  yaml: "apps",
  doc: "Versions of apps, and the switch from one to another.",
  options: {
    keepVersions: {
      env: "APPSERVER_APPS_KEEP_VERSIONS",
      yaml: "keep_versions",
      type: integer(1, 100),
      default: "5",
      doc: "Number of versions of each app that are kept, including the one that serves. Only these can be rolled back to",
    },
    keepSnapshots: {
      env: "APPSERVER_APPS_KEEP_SNAPSHOTS",
      yaml: "keep_snapshots",
      type: integer(1, 100),
      default: "5",
      doc: "Number of snapshots of each app that are kept. Automatic ones are deleted first, then the oldest",
    },
    requireDigest: {
      env: "APPSERVER_APPS_REQUIRE_DIGEST",
      yaml: "require_digest",
      type: boolean,
      default: "false",
      doc: "Whether an app with a container must name its image by `image_digest` in its signed manifest. The registration of other versions is refused. Of no meaning with `containers.driver: process`",
    },
    listedToAll: {
      env: "APPSERVER_APPS_LISTED_TO_ALL",
      yaml: "listed_to_all",
      type: boolean,
      default: "true",
      doc: "Whether each person sees the name, the icon and the description of apps with pages that they may not use, and can ask for access to them. Otherwise people see only the apps that they may use",
    },
    settleTimeMs: {
      env: "APPSERVER_APPS_SETTLE_TIME",
      yaml: "settle_time",
      type: duration,
      default: "5s",
      doc: "How long a new version must be healthy before requests go to it",
    },
    drainTimeoutMs: {
      env: "APPSERVER_APPS_DRAIN_TIMEOUT",
      yaml: "drain_timeout",
      type: duration,
      default: "30s",
      doc: "Maximum time after a switch until requests, streams and WebSockets on the previous version must end",
    },
    sleepAfterMs: {
      env: "APPSERVER_APPS_SLEEP_AFTER",
      yaml: "sleep_after",
      type: duration,
      doc: "How long an app with a container may be idle until it falls asleep. The app's setting `app.sleep_after` takes precedence. Without it, only apps with that setting fall asleep",
    },
    wakeTimeoutMs: {
      env: "APPSERVER_APPS_WAKE_TIMEOUT",
      yaml: "wake_timeout",
      type: duration,
      default: "30s",
      doc: "How long a request waits for an app that is asleep to start",
    },
    publicWakesPerAddress: {
      env: "APPSERVER_APPS_PUBLIC_WAKES_PER_ADDRESS",
      yaml: "public_wakes_per_address",
      type: integer(0, 1_000_000),
      default: "6",
      doc: "How many starts of sleeping apps one address may cause by requests to public routes, in any minute",
    },
    publicWakes: {
      env: "APPSERVER_APPS_PUBLIC_WAKES",
      yaml: "public_wakes",
      type: integer(0, 1_000_000),
      default: "30",
      doc: "How many starts of sleeping apps all requests to public routes may cause, in any minute",
    },
  },
});

/** How long records stay. Finished runs and deliveries, traces and events have limits of their own (docs/interface/limits.md). */
export const retentionSection = defineSection({
  yaml: "retention",
  doc: "How long the platform keeps records. Older ones are deleted each hour.",
  options: {
    auditLogMs: {
      env: "APPSERVER_RETENTION_AUDIT_LOG",
      yaml: "audit_log",
      type: duration,
      default: "365d",
      doc: "Entries of the audit log",
    },
    appHistoryMs: {
      env: "APPSERVER_RETENTION_APP_HISTORY",
      yaml: "app_history",
      type: duration,
      default: "365d",
      doc: "Transitions of apps. The newest twenty of each app stay",
    },
    deploymentsMs: {
      env: "APPSERVER_RETENTION_DEPLOYMENTS",
      yaml: "deployments",
      type: duration,
      default: "90d",
      doc: "Deployments that have ended. The last one of each image stays",
    },
    deadLettersMs: {
      env: "APPSERVER_RETENTION_DEAD_LETTERS",
      yaml: "dead_letters",
      type: duration,
      default: "30d",
      doc: "Dead letters of the broker, if that is PostgreSQL",
    },
  },
});

/** Addresses allowed for upstreams of apps (docs/interface/proxy.md#upstream-addresses). */
export const upstreamSection = defineSection({
  yaml: "upstream",
  doc: "Backends of apps that run outside of the platform.",
  options: {
    allow: {
      env: "APPSERVER_UPSTREAM_ALLOW",
      yaml: "allow",
      type: listOf(network),
      default: "",
      doc: "Private networks that backends may be in. Public addresses need no entry",
    },
    deny: {
      env: "APPSERVER_UPSTREAM_DENY",
      yaml: "deny",
      type: listOf(destination),
      default: "",
      doc: "Addresses, networks and `host[:port]` that backends must not be at, in addition to the platform's own ports and the servers in its options",
    },
    allowLoopback: {
      env: "APPSERVER_UPSTREAM_ALLOW_LOOPBACK",
      yaml: "allow_loopback",
      type: boolean,
      default: "false",
      doc: "Whether backends may be on this machine's loopback addresses",
    },
  },
});

/** Options of what the proxy forwards to apps. */
export const proxySection = defineSection({
  yaml: "proxy",
  doc: "The parts of a request that apps' backends receive.",
  options: {
    forwardSession: {
      env: "APPSERVER_PROXY_FORWARD_SESSION",
      yaml: "forward_session",
      type: boolean,
      default: "false",
      doc: "Whether an app that lists `cookie`, `authorization` or the signature headers receives the caller's session cookie, bearer token and signature in them. An app that has them can act as the caller",
    },
    maxForwardedBytes: {
      env: "APPSERVER_PROXY_MAX_FORWARDED_BYTES",
      yaml: "max_forwarded_bytes",
      type: byteSizeBetween(1_024, 65_536),
      default: "16KiB",
      doc: "Maximum size of path, query and headers that a backend receives of a request. Larger ones get 431. Backends must accept about 1 KiB more, for the platform's own headers",
    },
  },
});

/** Delivery of hooks (docs/interface/hooks.md#retries). */
export const hooksSection = defineSection({
  yaml: "hooks",
  doc: "Delivery of hooks to apps.",
  options: {
    retryDelaysMs: {
      env: "APPSERVER_HOOKS_RETRY_DELAYS",
      yaml: "retry_delays",
      type: listOf(duration),
      default: "5s,5m,30m",
      doc: "Delay before each retry. The number of delays is the number of retries",
    },
    timeoutMs: {
      env: "APPSERVER_HOOKS_TIMEOUT",
      yaml: "timeout",
      type: duration,
      default: "30s",
      doc: "Maximum time for an app's response to a delivery",
    },
    maxWaitingPerApp: {
      env: "APPSERVER_HOOKS_MAX_WAITING_PER_APP",
      yaml: "max_waiting_per_app",
      type: integer(1),
      default: "200000",
      doc: "Maximum number of waiting deliveries of one app's hooks. More triggers are refused",
    },
  },
});

/** Permissions of apps on each other. */
export const permissionsSection = defineSection({
  yaml: "permissions",
  doc: "Permissions of apps.",
  options: {
    crossAppApproval: {
      env: "APPSERVER_PERMISSIONS_CROSS_APP_APPROVAL",
      yaml: "cross_app_approval",
      type: oneOf("always", "declared"),
      default: "always",
      doc: "Which permissions on other apps, and subscriptions to their hooks, need an administrator's approval: all of them, or those whose manifest declares `requires_approval`",
    },
  },
});

/** Background runs of apps (docs/interface/activities.md). */
export const activitySection = defineSection({
  yaml: "activity",
  doc: "Activities of apps.",
  options: {
    maxQueuedRunsPerApp: {
      env: "APPSERVER_ACTIVITY_MAX_QUEUED_RUNS_PER_APP",
      yaml: "max_queued_runs_per_app",
      type: integer(1),
      default: "50000",
      doc: "Maximum number of waiting runs of one app's activities. More are refused",
    },
  },
});

/** Logs (docs/interface/operations.md#log-format) and traces (docs/interface/operations.md#traces). */
export const telemetrySection = defineSection({
  yaml: "telemetry",
  doc: "Logs and traces. Metrics are at `/metrics`.",
  options: {
    logLevel: {
      env: "APPSERVER_LOG_LEVEL",
      yaml: "log_level",
      flag: "log-level",
      type: oneOf("debug", "info", "warn", "error"),
      default: "info",
      doc: "The lowest level that is logged",
    },
    otlpEndpoint: {
      env: "APPSERVER_OTLP_ENDPOINT",
      aliases: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
      yaml: "otlp_endpoint",
      type: url("http", "https"),
      doc: "OpenTelemetry collector for traces over HTTP, without `/v1/traces`. Without it, no traces are sent",
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
      doc: "Share of requests that are traced. Authenticated gRPC callers, and callers behind a trusted proxy, decide for their own requests",
    },
  },
});

/** Access to `/metrics`, which names every app and route: it is for operators (ADR 0025). */
export const metricsSection = defineSection({
  yaml: "metrics",
  doc: "Access to `/metrics` of the application server.",
  options: {
    allow: {
      env: "APPSERVER_METRICS_ALLOW",
      yaml: "allow",
      type: listOf(network),
      default: "127.0.0.0/8,::1",
      doc: "Addresses and networks that need no token. The address of a caller behind a proxy counts only if the proxy is in `server.trusted_proxies`",
    },
    token: {
      env: "APPSERVER_METRICS_TOKEN",
      yaml: "token",
      type: text,
      secret: true,
      doc: "Bearer token that gives access from every address",
    },
  },
});
