import { platformPermissions, scopeObject } from "@appserver/contracts/authorization";
import { signatureHeaders } from "@appserver/contracts/signature";
import { AppError, type Caller, isPromise, type MaybePromise } from "@appserver/kernel";
import type { CallerAuthenticator, CredentialedRequest, PermissionChecker, Standing } from "@appserver/proxy";
import type { GraphqlCredentials } from "../listeners/graphql/index.ts";

/**
 * Values of `APPSERVER_GRAPHQL_AUTH` (docs/interface/permissions.md#access-modes). `off`: callers without credentials act as
 * the platform itself. `optional`: they stay anonymous and have no permission. `required`: they are refused.
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
    refuseSignedQueryOfSocket(credentials);
    const caller = authenticator.authenticate(credentialed(credentials));
    return isPromise(caller) ? caller.then((known) => admit(known, mode)) : admit(caller, mode);
  };
}

/** A signature over `/graphql?query=…` was made for that query: it must not open a connection for any operation. */
function refuseSignedQueryOfSocket({ connectionParams, url, headers }: GraphqlCredentials): void {
  if (connectionParams === undefined || headers[signatureHeaders.signature] === undefined || !url.includes("?")) return;
  throw new AppError("AUTHENTICATION_FAILED", "an app signs the WebSocket handshake of GraphQL without a query in the URL");
}

/** What long connections of GraphQL ask again: credentials as `graphqlAuthenticate` reads them. */
export function graphqlStanding(authenticator: CallerAuthenticator) {
  return (credentials: GraphqlCredentials, caller: Caller): Standing =>
    authenticator.standing(credentialed(credentials), caller);
}

/**
 * Callers who see GraphQL's schema: administrators, which is to say those who hold every permission of the platform. The platform
 * has no permission for it, and inventing one would need a tuple in every store.
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
