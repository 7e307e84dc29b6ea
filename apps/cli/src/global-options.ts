import { Contexts } from "./contexts.ts";
import { type IdTokenSource, idTokenSource, type KeyTexts, keyTexts } from "./pipeline-variables.ts";

/** Options of every command, completed from the environment and from the context in use. */
export interface GlobalOptions {
  /** `http://127.0.0.1:8080` */
  readonly http: string;
  /** Of gRPC. The same, unless another one is given. */
  readonly grpc: string;
  readonly token?: string;
  /** Path of a file of PEM certificates. */
  readonly ca?: string;
  /** In place of the key and the certificate in the folder of an app. */
  readonly appKeys?: KeyTexts;
  /** Of the job of a pipeline. */
  readonly idToken?: IdTokenSource;
  readonly json: boolean;
}

/** What the command line has given. */
export interface GlobalFlags extends Partial<Omit<GlobalOptions, "json" | "appKeys" | "idToken">> {
  readonly context?: string;
  readonly json: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The platform that `npm start` runs. */
export const localPlatform = "http://127.0.0.1:8080";

/**
 * Completes the flags. A context counts only if neither a flag nor a variable names a platform, so that its token is sent to its own
 * platform only. Throws {@link UsageError} for a context that does not exist.
 */
export function globalOptions(flags: GlobalFlags, environment: Environment): GlobalOptions {
  const given = flags.http ?? environment["APPSERVER_HTTP_URL"];
  const grpc = flags.grpc ?? environment["APPSERVER_GRPC_URL"];
  const context =
    given === undefined && grpc === undefined
      ? new Contexts(environment).find(flags.context ?? environment["APPSERVER_CONTEXT"])
      : undefined;
  const token = flags.token ?? environment["APPSERVER_TOKEN"] ?? context?.token;
  const ca = flags.ca ?? environment["APPSERVER_CA"] ?? context?.ca;
  const [appKeys, idToken] = [keyTexts(environment), idTokenSource(environment)];
  const http = given ?? context?.http ?? localPlatform;
  return {
    http,
    grpc: grpc ?? context?.grpc ?? http,
    ...(token ? { token } : {}),
    ...(ca ? { ca } : {}),
    ...(appKeys && { appKeys }),
    ...(idToken && { idToken }),
    json: flags.json,
  };
}
