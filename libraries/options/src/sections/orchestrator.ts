import { defineSection } from "../schema.ts";
import { byteSize } from "../types/byte-size.ts";
import { driverName } from "../types/driver-name.ts";
import { duration } from "../types/duration.ts";
import { listOf } from "../types/list.ts";
import { boolean, integer, listenPort, networkPool, oneOf, text } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** Conditions for the start of the orchestrator (docs/interface/containers.md#start-conditions). */
export const orchestratorSection = defineSection({
  yaml: "orchestrator",
  doc: "The orchestrator refuses to start unless `eventbus_enabled` and `containers_enabled` are true.",
  options: {
    eventBusEnabled: {
      env: "APPSERVER_EVENTBUS_ENABLED",
      yaml: "eventbus_enabled",
      type: boolean,
      default: "false",
      doc: "Must be true: events trigger the orchestrator",
    },
    containersEnabled: {
      env: "APPSERVER_CONTAINERS_ENABLED",
      aliases: ["APPSERVER_DOCKER_ENABLED"],
      yaml: "containers_enabled",
      type: boolean,
      default: "false",
      doc: "Must be true: the orchestrator runs containers",
    },
    metricsPort: {
      env: "APPSERVER_ORCHESTRATOR_METRICS_PORT",
      yaml: "metrics_port",
      type: listenPort,
      doc: "Port of `GET /metrics` for Prometheus, on `server.bind_address`. Without it, the orchestrator opens no port",
    },
  },
});

/**
 * What runs the apps (docs/interface/containers.md#drivers), with which limits (docs/interface/limits.md#container-limits), and how
 * the server connects to them (docs/interface/containers.md#network).
 */
export const containersSection = defineSection({
  yaml: "containers",
  doc: "What runs the apps, images, the limits of a container, how the application server reaches containers, and what containers reach.",
  options: {
    driver: {
      env: "APPSERVER_CONTAINERS_DRIVER",
      flag: "containers",
      yaml: "driver",
      type: driverName,
      default: "docker",
      doc: "What runs the apps",
    },
    networkName: {
      env: "APPSERVER_CONTAINERS_NETWORK_NAME",
      aliases: ["APPSERVER_DOCKER_NETWORK_NAME"],
      yaml: "network_name",
      type: text,
      default: "appserver",
      doc: "Network that containers join with `isolation: shared`",
    },
    networkPool: {
      env: "APPSERVER_CONTAINERS_NETWORK_POOL",
      yaml: "network_pool",
      type: networkPool,
      default: "10.213.0.0/16",
      doc: "IPv4 range of the networks of apps. Each app gets a /27 of it. No effect with `kubernetes`",
    },
    registryUrl: {
      env: "APPSERVER_CONTAINERS_REGISTRY_URL",
      aliases: ["APPSERVER_DOCKER_REGISTRY_URL"],
      yaml: "registry_url",
      type: text,
      doc: "Registry and path before the app's name in image references, without a scheme: `registry.example.com/apps`",
    },
    registryUsername: {
      env: "APPSERVER_CONTAINERS_REGISTRY_USERNAME",
      aliases: ["APPSERVER_DOCKER_REGISTRY_USERNAME"],
      yaml: "registry_username",
      type: text,
      doc: "User of the registry",
    },
    registryPassword: {
      env: "APPSERVER_CONTAINERS_REGISTRY_PASSWORD",
      aliases: ["APPSERVER_DOCKER_REGISTRY_PASSWORD"],
      yaml: "registry_password",
      type: text,
      secret: true,
      doc: "Password of the user",
    },
    defaultImageStage: {
      env: "APPSERVER_CONTAINERS_DEFAULT_IMAGE_STAGE",
      aliases: ["APPSERVER_DOCKER_DEFAULT_IMAGE_STAGE"],
      yaml: "default_image_stage",
      type: oneOf("latest", "pre-release", "testing"),
      default: "latest",
      doc: "Tag of images, unless the app's setting `docker.image.stage` has a value",
    },
    cpuShares: {
      env: "APPSERVER_CONTAINERS_CPU_SHARES",
      aliases: ["APPSERVER_DOCKER_DEFAULT_CPU_SHARES"],
      yaml: "cpu_shares",
      type: integer(2, 262_144),
      default: "1024",
      doc: "Weight of a container when containers compete for the processor",
    },
    memoryMb: {
      env: "APPSERVER_CONTAINERS_MEMORY_MB",
      aliases: ["APPSERVER_DOCKER_DEFAULT_MEMORY_MB"],
      yaml: "memory_mb",
      type: integer(6, 16_777_216),
      default: "512",
      doc: "Maximum memory of a container, in MiB",
    },
    pids: {
      env: "APPSERVER_CONTAINERS_PIDS",
      yaml: "pids",
      type: integer(1, 4_194_304),
      default: "256",
      doc: "Maximum number of processes and threads of a container",
    },
    maxCpuShares: {
      env: "APPSERVER_CONTAINERS_MAX_CPU_SHARES",
      yaml: "max_cpu_shares",
      type: integer(2, 262_144),
      default: "4096",
      doc: "Highest weight that an app may declare. `cpu_shares` is always allowed",
    },
    maxMemoryMb: {
      env: "APPSERVER_CONTAINERS_MAX_MEMORY_MB",
      yaml: "max_memory_mb",
      type: integer(6, 16_777_216),
      default: "4096",
      doc: "Highest memory that an app may declare, in MiB. `memory_mb` is always allowed",
    },
    maxPids: {
      env: "APPSERVER_CONTAINERS_MAX_PIDS",
      yaml: "max_pids",
      type: integer(1, 4_194_304),
      default: "1024",
      doc: "Highest number of processes and threads that an app may declare. `pids` is always allowed",
    },
    maxReplicas: {
      env: "APPSERVER_CONTAINERS_MAX_REPLICAS",
      yaml: "max_replicas",
      type: integer(1, 100),
      default: "10",
      doc: "Highest number of instances of an app",
    },
    pullTimeoutMs: {
      env: "APPSERVER_CONTAINERS_PULL_TIMEOUT",
      aliases: ["APPSERVER_DOCKER_PULL_TIMEOUT"],
      yaml: "pull_timeout",
      type: duration,
      default: "10m",
      doc: "Maximum time to pull an image",
    },
    imageCleanupIntervalMs: {
      env: "APPSERVER_CONTAINERS_IMAGE_CLEANUP_INTERVAL",
      yaml: "image_cleanup_interval",
      type: duration,
      default: "1h",
      doc: "Time between removals of images that apps ran earlier and no longer return to",
    },
    startTimeoutMs: {
      env: "APPSERVER_CONTAINERS_START_TIMEOUT",
      aliases: ["APPSERVER_DOCKER_START_TIMEOUT"],
      yaml: "start_timeout",
      type: duration,
      default: "2m",
      doc: "Maximum time until a new container is healthy",
    },
    stopTimeoutMs: {
      env: "APPSERVER_CONTAINERS_STOP_TIMEOUT",
      aliases: ["APPSERVER_DOCKER_STOP_TIMEOUT"],
      yaml: "stop_timeout",
      type: duration,
      default: "10s",
      doc: "Time between the stop signal and the kill of a container",
    },
    healthCheckIntervalMs: {
      env: "APPSERVER_CONTAINERS_HEALTH_CHECK_INTERVAL",
      aliases: ["APPSERVER_DOCKER_HEALTH_CHECK_INTERVAL"],
      yaml: "health_check_interval",
      type: duration,
      default: "30s",
      doc: "Time between health checks, unless the app declares it",
    },
    healthCheckTimeoutMs: {
      env: "APPSERVER_CONTAINERS_HEALTH_CHECK_TIMEOUT",
      aliases: ["APPSERVER_DOCKER_HEALTH_CHECK_TIMEOUT"],
      yaml: "health_check_timeout",
      type: duration,
      default: "5s",
      doc: "Maximum time for the response to a health check, unless the app declares it",
    },
    healthCheckRetries: {
      env: "APPSERVER_CONTAINERS_HEALTH_CHECK_RETRIES",
      aliases: ["APPSERVER_DOCKER_HEALTH_CHECK_RETRIES"],
      yaml: "health_check_retries",
      type: integer(1, 1_000),
      default: "3",
      doc: "Consecutive failures that make a container unhealthy, unless the app declares the number",
    },
    maxRestarts: {
      env: "APPSERVER_CONTAINERS_MAX_RESTARTS",
      aliases: ["APPSERVER_DOCKER_MAX_RESTARTS"],
      yaml: "max_restarts",
      type: integer(0, 1_000),
      default: "3",
      doc: "Maximum number of restarts within 60 minutes. After them, the app is FAILED",
    },
    reconcileTimeoutMs: {
      env: "APPSERVER_CONTAINERS_RECONCILE_TIMEOUT",
      aliases: ["APPSERVER_DOCKER_RECONCILE_TIMEOUT"],
      yaml: "reconcile_timeout",
      type: duration,
      default: "2m",
      doc: "Maximum time of start-up reconciliation",
    },
    endpoint: {
      env: "APPSERVER_CONTAINERS_ENDPOINT",
      yaml: "endpoint",
      type: oneOf("network", "publish"),
      default: "network",
      doc: "`network`: by name, on the containers' network. `publish`: at a port on 127.0.0.1, for a server on the host",
    },
    isolation: {
      env: "APPSERVER_CONTAINERS_ISOLATION",
      yaml: "isolation",
      type: oneOf("app", "shared"),
      default: "app",
      doc: "`app`: each app has a database and a network of its own, and no other password. `shared`: all apps are in one network, and each gets the platform's own passwords of the database, Redis and the event bus",
    },
    sharedRedis: {
      env: "APPSERVER_CONTAINERS_SHARED_REDIS",
      yaml: "shared_redis",
      type: listOf(text),
      default: "",
      doc: "Apps that get the platform's Redis in spite of `isolation: app`. They can read and delete everything in it",
    },
    databaseAdminUrl: {
      env: "APPSERVER_CONTAINERS_DATABASE_ADMIN_URL",
      yaml: "database_admin_url",
      type: url("postgres", "postgresql"),
      secret: true,
      doc: "PostgreSQL server of the apps' databases, with a role that has CREATEDB and CREATEROLE. The database is `postgres`, unless the URL names one; other parts that it does not have, and the default, are those of the platform's own connection",
    },
    databaseSharedServer: {
      env: "APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER",
      yaml: "database_shared_server",
      type: boolean,
      default: "false",
      doc: "Whether the apps' databases may be on the platform's own server. Any app can then stop the writes of the platform and of all other apps",
    },
    databaseConnectionLimit: {
      env: "APPSERVER_CONTAINERS_DATABASE_CONNECTION_LIMIT",
      yaml: "database_connection_limit",
      type: integer(1, 10_000),
      default: "20",
      doc: "Maximum number of database connections of one deployment",
    },
    databaseSizeLimitBytes: {
      env: "APPSERVER_CONTAINERS_DATABASE_SIZE_LIMIT",
      yaml: "database_size_limit",
      type: byteSize,
      default: "1GiB",
      doc: "Maximum size of the database of one app. An app above it gets no connections until data is deleted or the limit is raised",
    },
    databaseSizeIntervalMs: {
      env: "APPSERVER_CONTAINERS_DATABASE_SIZE_INTERVAL",
      yaml: "database_size_interval",
      type: duration,
      default: "10s",
      doc: "Pause between two measurements of the databases of all apps. Until the next one, a database can exceed its limit",
    },
    databaseStatementTimeoutMs: {
      env: "APPSERVER_CONTAINERS_DATABASE_STATEMENT_TIMEOUT",
      yaml: "database_statement_timeout",
      type: duration,
      default: "1m",
      doc: "The database cancels a longer statement of an app, unless the app sets another timeout",
    },
    databaseIdleTransactionTimeoutMs: {
      env: "APPSERVER_CONTAINERS_DATABASE_IDLE_TRANSACTION_TIMEOUT",
      yaml: "database_idle_transaction_timeout",
      type: duration,
      default: "1m",
      doc: "The database ends a session of an app whose transaction is idle for longer, unless the app sets another timeout",
    },
    storageUsageIntervalMs: {
      env: "APPSERVER_CONTAINERS_STORAGE_USAGE_INTERVAL",
      yaml: "storage_usage_interval",
      type: duration,
      default: "15m",
      doc: "Pause between two measurements of the storage of all apps. Each one reads the sizes of all their files",
    },
  },
});

/** Images of apps that the platform keeps itself (docs/interface/registry.md). */
export const registrySection = defineSection({
  yaml: "registry",
  doc: "The platform's own registry, to which `appctl deploy` pushes images and from which the container engine pulls them ([registry](../interface/registry.md)).",
  options: {
    folder: {
      env: "APPSERVER_REGISTRY_FOLDER",
      yaml: "folder",
      type: text,
      doc: "Folder of the images, the same one for every server of the platform. With it, the platform takes pushes at `/v2/`",
    },
    address: {
      env: "APPSERVER_REGISTRY_ADDRESS",
      yaml: "address",
      type: text,
      doc: "Host and port at which the container engine reaches the HTTP port of the platform, without a scheme: `127.0.0.1:8080`, `apps.example.com`. It has no effect with `containers.registry_url`",
    },
    maxLayerBytes: {
      env: "APPSERVER_REGISTRY_MAX_LAYER_SIZE",
      yaml: "max_layer_size",
      type: byteSize,
      default: "2GiB",
      doc: "Maximum size of one layer, as it is pushed",
    },
    maxAppBytes: {
      env: "APPSERVER_REGISTRY_MAX_APP_SIZE",
      yaml: "max_app_size",
      type: byteSize,
      default: "10GiB",
      doc: "Maximum size of all images of one app. A layer counts once for each app",
    },
    maxTotalBytes: {
      env: "APPSERVER_REGISTRY_MAX_SIZE",
      yaml: "max_size",
      type: byteSize,
      default: "50GiB",
      doc: "Maximum size of all images",
    },
    keepUnusedMs: {
      env: "APPSERVER_REGISTRY_KEEP_UNUSED",
      yaml: "keep_unused",
      type: duration,
      default: "24h",
      doc: "How long an image that no release names is kept after its push, at least 1h",
    },
  },
});

/** Values about the platform that containers receive (docs/interface/containers.md#environment). */
export const platformSection = defineSection({
  yaml: "platform",
  doc: "Values about the platform that containers receive ([environment](../interface/containers.md#environment)), in addition to the options whose variables begin with `APPSERVER_DB_`, `APPSERVER_REDIS_` and `APPSERVER_EVENTBUS_`.",
  options: {
    httpUrl: {
      env: "APPSERVER_HTTP_URL",
      yaml: "http_url",
      type: text,
      doc: "HTTP URL of the platform for containers",
    },
    grpcAddress: {
      env: "APPSERVER_GRPC_ADDRESS",
      yaml: "grpc_address",
      type: text,
      doc: "Host and port of the platform's gRPC for containers",
    },
    graphqlUrl: {
      env: "APPSERVER_GRAPHQL_HTTP",
      aliases: ["APPSERVER_GRAPHQL_URL"],
      yaml: "graphql_url",
      type: text,
      doc: "GraphQL URL of the platform for containers. The orchestrator does not start without it",
    },
    nodeEnv: {
      env: "NODE_ENV",
      yaml: "node_env",
      type: text,
      doc: "`production`: apps skip building their assets",
    },
  },
});
