import { type OrchestrationSettings, parseStage } from "@appserver/orchestration";
import { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { parseDuration } from "./duration.ts";

const enabled = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");
const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

/** Operators give `10m`; absent, the specification's default. */
const duration = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const ms = parseDuration(text);
      if (ms !== undefined && ms > 0) return ms;
      context.addIssue({ code: "custom", message: "expected a duration such as 500ms, 30s or 10m" });
      return z.NEVER;
    });

const stage = z
  .string()
  .default("latest")
  .transform((text, context) => {
    try {
      return parseStage(text);
    } catch {
      context.addIssue({ code: "custom", message: "expected latest, pre-release or testing" });
      return z.NEVER;
    }
  });

/** Environment of the orchestrator: specification §8, and what design/behaviour adds. */
const environment = z.object({
  APPSERVER_DOCKER_ENABLED: enabled,
  APPSERVER_EVENTBUS_ENABLED: enabled,
  APPSERVER_RABBITMQ_URL: z.string().optional(),
  APPSERVER_DOCKER_SOCKET_PATH: z.string().min(1).default("/var/run/docker.sock"),
  APPSERVER_DOCKER_NETWORK_NAME: z.string().min(1).default("appserver"),
  APPSERVER_DOCKER_REGISTRY_URL: z.string().default(""),
  APPSERVER_DOCKER_REGISTRY_USERNAME: z.string().default(""),
  APPSERVER_DOCKER_REGISTRY_PASSWORD: z.string().default(""),
  APPSERVER_DOCKER_DEFAULT_CPU_SHARES: count(1024),
  APPSERVER_DOCKER_DEFAULT_MEMORY_MB: count(512),
  APPSERVER_DOCKER_PIDS_LIMIT: count(256),
  APPSERVER_DOCKER_PULL_TIMEOUT: duration("10m"),
  APPSERVER_DOCKER_START_TIMEOUT: duration("2m"),
  APPSERVER_DOCKER_STOP_TIMEOUT: duration("10s"),
  APPSERVER_DOCKER_HEALTH_CHECK_INTERVAL: duration("30s"),
  APPSERVER_DOCKER_HEALTH_CHECK_TIMEOUT: duration("5s"),
  APPSERVER_DOCKER_HEALTH_CHECK_RETRIES: count(3),
  APPSERVER_DOCKER_MAX_RESTARTS: z.coerce.number().int().min(0).default(3),
  APPSERVER_DOCKER_DEFAULT_IMAGE_STAGE: stage,
  APPSERVER_DOCKER_RECONCILE_TIMEOUT: duration("2m"),
  APPSERVER_CONTAINERS_ENDPOINT: z.enum(["network", "publish"]).default("network"),
  APPSERVER_INSTANCE: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "expected letters, digits, dots, hyphens")
    .default("appserver"),
  APPSERVER_DB_HOST: z.string().min(1).default("localhost"),
  APPSERVER_DB_PORT: z.coerce.number().int().min(1).max(65_535).default(5432),
  APPSERVER_DB_USER: z.string().min(1).default("appserver"),
  APPSERVER_DB_PASSWORD: z.string().default(""),
  APPSERVER_DB_NAME: z.string().min(1).default("appserver"),
  APPSERVER_DB_SSLMODE: z.enum(["disable", "require", "verify-ca", "verify-full"]).default("disable"),
  APPSERVER_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
});

export interface OrchestratorConfig {
  readonly isDockerEnabled: boolean;
  readonly isEventBusEnabled: boolean;
  readonly rabbitmqUrl: string | undefined;
  readonly dockerSocketPath: string;
  readonly database: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly name: string;
    readonly sslMode: "disable" | "require" | "verify-ca" | "verify-full";
  };
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly settings: OrchestrationSettings;
}

/** Reads the environment; throws {@link ConfigError} with one line for each wrong value. Values of secrets are not shown. */
export function readOrchestratorConfig(env: Readonly<Record<string, string | undefined>>): OrchestratorConfig {
  const parsed = environment.safeParse(env);
  if (parsed.success) return Object.freeze(toConfig(parsed.data));
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const shown = /PASSWORD|URL/.test(name) ? "" : `=${JSON.stringify(env[name])}`;
    return `${name}${shown}: ${issue.message}`;
  });
  throw new ConfigError(`The configuration is not valid:\n  ${lines.join("\n  ")}`);
}

function toConfig(env: z.infer<typeof environment>): OrchestratorConfig {
  return {
    isDockerEnabled: env.APPSERVER_DOCKER_ENABLED,
    isEventBusEnabled: env.APPSERVER_EVENTBUS_ENABLED,
    rabbitmqUrl: env.APPSERVER_RABBITMQ_URL,
    dockerSocketPath: env.APPSERVER_DOCKER_SOCKET_PATH,
    database: {
      host: env.APPSERVER_DB_HOST,
      port: env.APPSERVER_DB_PORT,
      user: env.APPSERVER_DB_USER,
      password: env.APPSERVER_DB_PASSWORD,
      name: env.APPSERVER_DB_NAME,
      sslMode: env.APPSERVER_DB_SSLMODE,
    },
    logLevel: env.APPSERVER_LOG_LEVEL,
    settings: toSettings(env),
  };
}

function toSettings(env: z.infer<typeof environment>): OrchestrationSettings {
  const username = env.APPSERVER_DOCKER_REGISTRY_USERNAME;
  return {
    instance: env.APPSERVER_INSTANCE,
    network: env.APPSERVER_DOCKER_NETWORK_NAME,
    registry: env.APPSERVER_DOCKER_REGISTRY_URL,
    credentials: username === "" ? undefined : { username, password: env.APPSERVER_DOCKER_REGISTRY_PASSWORD },
    defaultImageStage: env.APPSERVER_DOCKER_DEFAULT_IMAGE_STAGE,
    endpoint: env.APPSERVER_CONTAINERS_ENDPOINT,
    // Containers reach each other by name even where their ports are published for a server on the host.
    upstreams: "network",
    cpuShares: env.APPSERVER_DOCKER_DEFAULT_CPU_SHARES,
    memoryMb: env.APPSERVER_DOCKER_DEFAULT_MEMORY_MB,
    pidsLimit: env.APPSERVER_DOCKER_PIDS_LIMIT,
    pullTimeoutMs: env.APPSERVER_DOCKER_PULL_TIMEOUT,
    startTimeoutMs: env.APPSERVER_DOCKER_START_TIMEOUT,
    stopTimeoutMs: env.APPSERVER_DOCKER_STOP_TIMEOUT,
    reconcileTimeoutMs: env.APPSERVER_DOCKER_RECONCILE_TIMEOUT,
    healthCheckIntervalMs: env.APPSERVER_DOCKER_HEALTH_CHECK_INTERVAL,
    healthCheckTimeoutMs: env.APPSERVER_DOCKER_HEALTH_CHECK_TIMEOUT,
    healthCheckRetries: env.APPSERVER_DOCKER_HEALTH_CHECK_RETRIES,
    maxRestarts: env.APPSERVER_DOCKER_MAX_RESTARTS,
  };
}
