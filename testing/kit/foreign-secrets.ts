/** Secrets of the process that runs the containers. None of them may be visible in a container. */
export const foreignSecrets: Readonly<Record<string, string>> = Object.fromEntries(
  ["POSTGRES_PASSWORD", "REDIS_URL", "KRATOS_SECRETS_COOKIE", "HYDRA_SYSTEM_SECRET"].map((name) => [name, `canary-of-${name}`]),
);
