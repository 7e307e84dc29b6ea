import { AppError, type Caller, isPromise, type MaybePromise } from "@appserver/kernel";
import type { CallerAuthenticator, CredentialedRequest } from "@appserver/proxy";
import type { GraphqlCredentials } from "../listeners/graphql/index.ts";

/**
 * `APPSERVER_GRAPHQL_AUTH` (design/behaviour "GraphQL access"). `off`: callers without credentials act as the
 * administrator. `optional`: they stay anonymous, and may what anybody may. `required`: they are refused.
 */
export type AccessMode = "off" | "optional" | "required";

/** Credentials count in every mode; this is about callers without. Throws AUTHENTICATION_REQUIRED. */
export function admit(caller: Caller, mode: AccessMode): Caller {
  if (caller.kind !== "anonymous" || mode === "optional") return caller;
  if (mode === "off") return { kind: "system", reason: "authentication is off" };
  throw new AppError("AUTHENTICATION_REQUIRED", "a session, a bearer token or an app's signature is needed here");
}

/** Callers of `/graphql`: headers and cookies, or on WebSockets the token of `connection_init`. */
export function graphqlAuthenticate(authenticator: CallerAuthenticator, mode: AccessMode) {
  return (credentials: GraphqlCredentials): MaybePromise<Caller> => {
    const caller = authenticator.authenticate(credentialed(credentials));
    return isPromise(caller) ? caller.then((known) => admit(known, mode)) : admit(caller, mode);
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
