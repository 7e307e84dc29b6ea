import { platformPermissions, scopeObject } from "@appserver/contracts/authorization";
import { signatureHeaders } from "@appserver/contracts/signature";
import { AppError, type Caller, isPromise, type MaybePromise } from "@appserver/kernel";
import type { CallerAuthenticator, CredentialedRequest, PermissionChecker, Standing } from "@appserver/proxy";
import type { GraphqlCredentials } from "@appserver/transports/graphql";

/**
 * Values of `APPSERVER_GRAPHQL_AUTH` (docs/interface/permissions.md#access-modes). `off`: callers without credentials act as
 * the platform itself. `optional`: they stay anonymous and have no permission. `required`: they are refused.
 */
export type AccessMode = "off" | "optional" | "required";

/** Applies the access mode to callers without credentials. Other callers pass in every mode. Throws AUTHENTICATION_REQUIRED. */
export function admit(caller: Caller, mode: AccessMode): Caller {
  if (caller.kind !== "anonymous" || mode === "optional") return caller;
  if (mode === "off") return { kind: "system", reason: "authentication is off" };
  throw new AppError("AUTHENTICATION_REQUIRED", "a session, a bearer token or an app's signature is needed here");
}

/** Authenticates callers of `/graphql` by headers and cookies, or on WebSockets by the token of `connection_init`. */
export function graphqlAuthenticate(authenticator: CallerAuthenticator, mode: AccessMode) {
  return (credentials: GraphqlCredentials): MaybePromise<Caller> => {
    refuseSignedQueryOfSocket(credentials);
    const caller = authenticator.authenticate(credentialed(credentials));
    return isPromise(caller) ? caller.then((known) => admit(known, mode)) : admit(caller, mode);
  };
}

/**
 * Refuses such a signature on a WebSocket. A signature over `/graphql?query=…` is for that query and must not allow other
 * operations.
 */
function refuseSignedQueryOfSocket({ connectionParams, url, headers }: GraphqlCredentials): void {
  if (connectionParams === undefined || headers[signatureHeaders.signature] === undefined || !url.includes("?")) return;
  throw new AppError("AUTHENTICATION_FAILED", "an app signs the WebSocket handshake of GraphQL without a query in the URL");
}

/** Returns the repeated check of long-lived GraphQL connections. It reads credentials like `graphqlAuthenticate`. */
export function graphqlStanding(authenticator: CallerAuthenticator) {
  return (credentials: GraphqlCredentials, caller: Caller): Standing =>
    authenticator.standing(credentialed(credentials), caller);
}

/**
 * Returns whether a caller may introspect the GraphQL schema: only administrators, that is, callers with every permission of
 * the platform. There is no separate permission for it, because that would need a tuple in every store.
 */
export function schemaViewers(permissions: PermissionChecker) {
  const scopes = Object.keys(platformPermissions).map((permission) => scopeObject(permission));
  return async (caller: Caller): Promise<boolean> => (await permissions.allowedEach(caller, scopes)).every(Boolean);
}

function credentialed(credentials: GraphqlCredentials): CredentialedRequest {
  const initial = credentials.connectionParams?.["authorization"] ?? credentials.connectionParams?.["Authorization"];
  return {
    method: credentials.method,
    url: credentials.url,
    isUpgrade: credentials.connectionParams !== undefined,
    remoteAddress: credentials.remoteAddress,
    header: (name) => (name === "authorization" && typeof initial === "string" ? initial : joined(credentials.headers[name])),
    readBody: () => credentials.readBody(),
  };
}

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}
