import { type AccessMode, admit, type CallerAuthenticator, type Standing } from "@appserver/access";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { registrationTokenHeader, signatureHeaders, unprovenMessageBytes } from "@appserver/contracts/signature";
import { AppError, type Caller, type MaybePromise } from "@appserver/kernel";
import { isRegistrationToken, type MarketplacePolicy } from "@appserver/marketplace";
import type { AuthenticateCall, CallAdmission, GrpcCredentials, StandingOfCall } from "@appserver/transports/grpc";

const appHeaders: ReadonlySet<string> = new Set(Object.values(signatureHeaders));

/** Methods that an app calls before the platform has its key. The manifest carries its own signature. */
const registrations: ReadonlySet<string> = new Set(
  ["RegisterApp", "RegisterAppStream", "ValidateManifest"].map((method) => `/${MarketplaceService.typeName}/${method}`),
);
const validation = `/${MarketplaceService.typeName}/ValidateManifest`;

const mebibyte = 1024 * 1024;
/** Maximum message sizes: users send names and settings, apps send results of activities, developers send whole manifests. */
const messageBytes = { unproven: unprovenMessageBytes, user: 4 * mebibyte, app: 16 * mebibyte, registration: 64 * mebibyte };

export interface GrpcAccess {
  readonly authenticator: Pick<CallerAuthenticator, "authenticate" | "authenticateCertificate">;
  readonly mode: AccessMode;
  readonly policy: MarketplacePolicy;
}

/** Authenticates callers of gRPC methods (docs/interface/grpc.md#callers, ADR 0025). */
export function grpcAuthenticate(access: GrpcAccess): AuthenticateCall {
  return async (credentials) => {
    if (registrations.has(credentials.path)) return admitRegistrant(access, credentials);
    const sender = await callerOf(access, credentials);
    // Refuses anonymous callers before their message is read.
    const caller = admit(sender, access.mode);
    if (sender.kind !== "anonymous") return { caller, isProven: true, maxMessageBytes: limitOf(caller) };
    // In mode `off` an anonymous caller is an administrator of a machine that only local clients reach.
    return { caller, isProven: false, maxMessageBytes: access.mode === "off" ? messageBytes.app : messageBytes.unproven };
  };
}

/** Returns the repeated check of open gRPC streams. It reads credentials like `grpcAuthenticate`. */
export function grpcStanding(authenticator: Pick<CallerAuthenticator, "standing">): StandingOfCall {
  return ({ method, path, headers }, caller): Standing =>
    authenticator.standing(
      { method, url: path, header: (name) => (name === "cookie" ? undefined : (headers.get(name) ?? undefined)) },
      caller,
    );
}

/**
 * Admits the caller of a registration. An open platform does not raise it to an administrator, because that would bypass the
 * pinning of keys. Checks the token first, then the session. Without both, only a small message is read, which must
 * contain the token or a trusted certificate.
 */
async function admitRegistrant(access: GrpcAccess, credentials: GrpcCredentials): Promise<CallAdmission> {
  const { policy, mode } = access;
  const caller = await callerOf(access, credentials);
  if (policy.registration === "open") return { caller, isProven: false, maxMessageBytes: messageBytes.registration };
  const token = credentials.headers.get(registrationTokenHeader);
  if (token !== null) {
    if (!isRegistrationToken(policy, token)) throw new AppError("AUTHENTICATION_FAILED", "the registration token is not valid");
    return { caller, isProven: true, maxMessageBytes: messageBytes.registration };
  }
  if (caller.kind !== "anonymous") return { caller, isProven: true, maxMessageBytes: messageBytes.user };
  if (credentials.path === validation && mode !== "off") {
    throw new AppError(
      "AUTHENTICATION_REQUIRED",
      `a session, or the registration token as ${registrationTokenHeader}, is needed here`,
    );
  }
  return { caller, isProven: false, maxMessageBytes: messageBytes.unproven };
}

function callerOf({ authenticator }: GrpcAccess, credentials: GrpcCredentials): MaybePromise<Caller> {
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

function limitOf(caller: Caller): number {
  return caller.kind === "user" ? messageBytes.user : messageBytes.app;
}
