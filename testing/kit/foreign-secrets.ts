/** Given to the process that runs the containers, and no container's business: none may be seen in one. */
export const foreignSecrets: Readonly<Record<string, string>> = Object.fromEntries(
  ["POSTGRES_PASSWORD", "REDIS_URL", "KRATOS_SECRETS_COOKIE", "HYDRA_SYSTEM_SECRET", "APPSERVER_SETTINGS_ENCRYPTION_KEY"].map(
    (name) => [name, `canary-of-${name}`],
  ),
);
