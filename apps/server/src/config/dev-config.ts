import { resolve } from "node:path";
import { z } from "zod";

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

const environment = z.object({
  APPSERVER_HTTP_PORT: port(8080),
  APPSERVER_GRPC_PORT: port(9090),
  APPSERVER_DATA_DIR: z.string().min(1).default(".appserver"),
  APPSERVER_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  APPSERVER_DOCKER_SOCKET_PATH: z.string().min(1).default("/var/run/docker.sock"),
});

const flags = z.object({
  containers: z.enum(["process", "docker"]).default("process"),
  examples: z.boolean().default(true),
});

/** What `appserver dev` runs with. */
export interface DevConfig {
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly dockerSocketPath: string;
  readonly containers: "process" | "docker";
  /** Whether the sample apps are registered and installed. */
  readonly examples: boolean;
}

/** Names, values and expectations of everything that is wrong, at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads flags and environment; throws {@link ConfigError} with one line for each wrong value. */
export function readDevConfig(
  given: { readonly [flag: string]: unknown },
  env: Readonly<Record<string, string | undefined>>,
): DevConfig {
  const fromEnv = environment.safeParse(env);
  const fromFlags = flags.safeParse(given);
  const problems = [
    ...(fromEnv.error?.issues ?? []).map(
      (issue) => `${issue.path.join(".")}=${JSON.stringify(env[String(issue.path[0])])}: ${issue.message}`,
    ),
    ...(fromFlags.error?.issues ?? []).map(
      (issue) => `--${issue.path.join(".")} ${JSON.stringify(given[String(issue.path[0])])}: ${issue.message}`,
    ),
  ];
  if (!fromEnv.success || !fromFlags.success)
    throw new ConfigError(`The configuration is not valid:\n  ${problems.join("\n  ")}`);
  return Object.freeze({
    httpPort: fromEnv.data.APPSERVER_HTTP_PORT,
    grpcPort: fromEnv.data.APPSERVER_GRPC_PORT,
    dataDir: resolve(fromEnv.data.APPSERVER_DATA_DIR),
    logLevel: fromEnv.data.APPSERVER_LOG_LEVEL,
    dockerSocketPath: fromEnv.data.APPSERVER_DOCKER_SOCKET_PATH,
    ...fromFlags.data,
  });
}
