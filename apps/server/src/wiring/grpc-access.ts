import {
  type AccessMode,
  admitCall,
  admitRegistrant,
  type CallerAuthenticator,
  messageBytes,
  type Reauthentication,
} from "@appserver/access";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { registrationTokenHeader, signatureHeaders } from "@appserver/contracts/signature";
import type { Caller, MaybePromise } from "@appserver/kernel";
import { isRegistrationToken, type MarketplacePolicy } from "@appserver/marketplace";
import type { AuthenticateCall, GrpcCredentials, ReauthenticationOfCall } from "@appserver/transports/grpc";

const appHeaders: ReadonlySet<string> = new Set(Object.values(signatureHeaders));

/** Methods that an app calls before the platform has its key. The manifest carries its own signature. */
const registrations: ReadonlySet<string> = new Set(
  ["RegisterApp", "RegisterAppStream", "ValidateManifest"].map((method) => `/${MarketplaceService.typeName}/${method}`),
);
const validation = `/${MarketplaceService.typeName}/ValidateManifest`;

export interface GrpcAccess {
  readonly authenticator: Pick<CallerAuthenticator, "authenticate" | "authenticateCertificate">;
  readonly mode: AccessMode;
  readonly policy: MarketplacePolicy;
}

/** Authenticates callers of gRPC methods (docs/interface/grpc.md#callers). */
export function grpcAuthenticate({ authenticator, mode, policy }: GrpcAccess): AuthenticateCall {
  return async (credentials) => {
    const { path, headers } = credentials;
    const caller = await callerOf(authenticator, credentials);
    if (!registrations.has(path)) return admitCall(caller, mode);
    const token = headers.get(registrationTokenHeader);
    return admitRegistrant({
      caller,
      isOpen: policy.registration === "open",
      hasToken: token === null ? undefined : isRegistrationToken(policy, token),
      needsCredentials: path === validation && mode !== "off",
    });
  };
}

/** Returns the repeated check of open gRPC streams. It reads credentials like `grpcAuthenticate`. */
export function grpcReauthentication(authenticator: Pick<CallerAuthenticator, "reauthentication">): ReauthenticationOfCall {
  return ({ method, path, headers }, caller): Reauthentication =>
    authenticator.reauthentication(
      { method, url: path, header: (name) => (name === "cookie" ? undefined : (headers.get(name) ?? undefined)) },
      caller,
    );
}

function callerOf(authenticator: GrpcAccess["authenticator"], credentials: GrpcCredentials): MaybePromise<Caller> {
  const isRegistration = registrations.has(credentials.path);
  const { clientCertificate, headers } = credentials;
  const appName = headers.get(signatureHeaders.appName);
  if (clientCertificate && appName && !isRegistration && !headers.has(signatureHeaders.signature)) {
    return authenticator.authenticateCertificate(appName, clientCertificate.publicKey);
  }
  // Cookies are ignored on this port: browsers send them with requests of any page.
  const isIgnored = (name: string): boolean => name === "cookie" || (isRegistration && appHeaders.has(name));
  return authenticator.authenticate({
    method: credentials.method,
    url: credentials.path,
    remoteAddress: credentials.remoteAddress,
    header: (name) => (isIgnored(name) ? undefined : (headers.get(name) ?? undefined)),
    readBody: (name) => credentials.readMessage(messageBytes.app, name),
  });
}
