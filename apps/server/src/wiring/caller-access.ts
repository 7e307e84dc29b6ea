import type { IncomingMessage } from "node:http";
import {
  type AccessMode,
  admit,
  type BrowserSession,
  type CallerAuthenticator,
  type Reauthentication,
} from "@appserver/access";
import { signatureHeaders } from "@appserver/contracts/signature";
import {
  AppError,
  type Caller,
  type CredentialedRequest,
  isPromise,
  type LiveConnections,
  type MaybePromise,
} from "@appserver/kernel";
import type { GraphqlCredentials } from "@appserver/transports/graphql";

/** Authenticates callers of `/graphql` by headers and cookies, or on WebSockets by the token of `connection_init`. */
export function graphqlAuthenticate(authenticator: Pick<CallerAuthenticator, "authenticate">, mode: AccessMode) {
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
function refuseSignedQueryOfSocket(credentials: GraphqlCredentials): void {
  if (credentials.connectionParams === undefined || !credentials.url.includes("?")) return;
  if (credentials.header(signatureHeaders.signature) === undefined) return;
  throw new AppError("AUTHENTICATION_FAILED", "an app signs the WebSocket handshake of GraphQL without a query in the URL");
}

/** Returns the repeated check of long-lived GraphQL connections. It reads credentials like `graphqlAuthenticate`. */
export function graphqlReauthentication(authenticator: Pick<CallerAuthenticator, "reauthentication">) {
  return (credentials: GraphqlCredentials, caller: Caller): Reauthentication =>
    authenticator.reauthentication(credentialed(credentials), caller);
}

/** Returns the function that finds the session of a browser by its cookie. */
export function browserSession(authenticator: Pick<CallerAuthenticator, "browserSession">) {
  return (request: IncomingMessage): MaybePromise<BrowserSession | undefined> =>
    authenticator.browserSession(credentialedMessage(request));
}

/** Returns the function that ends the streams of a session, before and after the identity provider ends it. */
export function sessionEnd({
  authenticator,
  connections,
}: {
  readonly authenticator: Pick<CallerAuthenticator, "authenticate" | "forgetSession">;
  readonly connections: Pick<LiveConnections, "recheck">;
}) {
  return async (message: IncomingMessage): Promise<() => void> => {
    const request = credentialedMessage(message);
    // Apps have no sessions, and a failed signature would count.
    if (Object.values(signatureHeaders).some((name) => message.headers[name] !== undefined)) return () => {};
    const caller = await callerOf(authenticator, request);
    if (caller?.kind !== "user") return () => {};
    return () => {
      authenticator.forgetSession(request);
      // Those of other sessions of the user stay.
      connections.recheck((connection) => connection.caller.kind === "user" && connection.caller.id === caller.id);
    };
  };
}

async function callerOf(
  authenticator: Pick<CallerAuthenticator, "authenticate">,
  request: CredentialedRequest,
): Promise<Caller | undefined> {
  try {
    return await authenticator.authenticate(request);
  } catch {
    // Without a session that is known to be valid, there are no streams to end.
    return undefined;
  }
}

function credentialedMessage({ method = "GET", url = "/", headers }: IncomingMessage): CredentialedRequest {
  return { method, url, header: (name) => joined(headers[name]) };
}

function credentialed(credentials: GraphqlCredentials): CredentialedRequest {
  const { connectionParams } = credentials;
  if (connectionParams === undefined) return credentials;
  const initial = connectionParams["authorization"] ?? connectionParams["Authorization"];
  return {
    method: credentials.method,
    url: credentials.url,
    isUpgrade: true,
    remoteAddress: credentials.remoteAddress,
    header: (name) => (name === "authorization" && typeof initial === "string" ? initial : credentials.header(name)),
    readBody: (name) => credentials.readBody(name),
  };
}

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}
