/** Environment variables that the platform sets for an app's container (docs/interface/containers.md#environment). */
export interface AppEnvironment {
  /** UUID. Undefined if the platform did not start the app. */
  readonly appId: string | undefined;
  /** Reading it throws an Error if the platform did not start the app and APP_NAME is not set. */
  readonly appName: string;
  /** Base address of the platform for signed calls. */
  readonly httpUrl: string;
  readonly grpcAddress: string | undefined;
  readonly graphqlUrl: string | undefined;
  /** Port to listen on. Default 3000. */
  readonly port: number;
  /** Folder with the identity that the platform made for this deployment (docs/interface/containers.md#identity). */
  readonly identityFolder: string;
  /** Address to listen on. Default: all addresses, because a container is reachable only through the platform's network. */
  readonly host: string;
}

/** Where a container finds its identity. The variable APP_IDENTITY_DIR names another folder. */
const containerIdentityFolder = "/run/appserver";

/** Reads the platform's variables from an environment and adds defaults. Throws RangeError if PORT is invalid. */
export function appEnvironment(env: Readonly<Record<string, string | undefined>>): AppEnvironment {
  const port = Number(env["PORT"] ?? 3000);
  // JavaScript converts an empty string to 0, which would mean a random port.
  if (env["PORT"] === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new RangeError(`PORT must be 0 to 65535, got ${JSON.stringify(env["PORT"])}`);
  return {
    appId: env["APP_ID"],
    get appName(): string {
      return requiredName(env["APP_NAME"]);
    },
    httpUrl: env["APPSERVER_HTTP_URL"] ?? "http://127.0.0.1:8080",
    grpcAddress: env["APPSERVER_GRPC_ADDRESS"],
    graphqlUrl: env["APPSERVER_GRAPHQL_URL"] ?? env["APPSERVER_GRAPHQL_HTTP"],
    port,
    identityFolder: env["APP_IDENTITY_DIR"] || containerIdentityFolder,
    host: env["HOST"] ?? "0.0.0.0",
  };
}

/** Reads it only where it is used: an app that just serves needs no name. */
function requiredName(name: string | undefined): string {
  if (name) return name;
  throw new Error(
    "APP_NAME is not set: the platform sets it for the apps that it runs. For an app that you start yourself, set it to the `name` of its app.yaml",
  );
}
