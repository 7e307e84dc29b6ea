import type { Environment } from "./global-options.ts";

/** What appctl itself reads, and no program that it runs. */
const secretVariables = [
  "APPSERVER_TOKEN",
  "APPSERVER_REGISTRATION_TOKEN",
  "APPSERVER_APP_KEY",
  "APPSERVER_APP_CERTIFICATE",
  "APPSERVER_ID_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_URL",
] as const;

/**
 * Returns all variables, and removes those with secrets from `variables`, which are those of this process: builds and backends, which run
 * code of others, inherit what is left.
 */
export function takeSecrets(variables: NodeJS.ProcessEnv): Environment {
  const environment = { ...variables };
  for (const name of secretVariables) delete variables[name];
  return environment;
}
