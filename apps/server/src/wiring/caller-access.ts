import { type Caller, isPromise, type MaybePromise } from "@appserver/kernel";
import type { CallerAuthenticator, CredentialedRequest } from "@appserver/proxy";
import type { GraphqlCredentials } from "../listeners/graphql/index.ts";

/** `APPSERVER_GRAPHQL_AUTH`: who may come without credentials (design/behaviour "GraphQL access"). */
export type AccessMode = "off" | "optional";

/** Where nobody needs to sign in, callers without credentials act as the administrator; credentials still count. */
export function raise(caller: Caller, mode: AccessMode): Caller {
  return mode === "off" && caller.kind === "anonymous" ? { kind: "system", reason: "authentication is off" } : caller;
}

/** Callers of `/graphql`: headers and cookies, or on WebSockets the token of `connection_init`. */
export function graphqlAuthenticate(authenticator: CallerAuthenticator, mode: AccessMode) {
  return (credentials: GraphqlCredentials): MaybePromise<Caller> => {
    const caller = authenticator.authenticate(credentialed(credentials));
    return isPromise(caller) ? caller.then((known) => raise(known, mode)) : raise(caller, mode);
  };
}

function credentialed(credentials: GraphqlCredentials): CredentialedRequest {
  const initial = credentials.connectionParams?.["authorization"] ?? credentials.connectionParams?.["Authorization"];
  return {
    method: credentials.method,
    url: credentials.url,
    isUpgrade: credentials.connectionParams !== undefined,
    header: (name) => (name === "authorization" && typeof initial === "string" ? initial : joined(credentials.headers[name])),
    readBody: () => credentials.body,
  };
}

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}
