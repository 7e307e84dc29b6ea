import type { X509Certificate } from "node:crypto";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { signatureHeaders } from "@appserver/contracts/signature";
import { AppError, type Caller, type Clock, type MaybePromise } from "@appserver/kernel";
import type { Marketplace } from "@appserver/marketplace";
import type { AppKeys, CallerAuthenticator } from "@appserver/proxy";
import type { HandlerContext } from "@connectrpc/connect";
import { callerKey, type GrpcCredentials, type GrpcService, grpcService } from "../listeners/grpc/index.ts";
import { type AccessMode, admit } from "./caller-access.ts";

const appHeaders: ReadonlySet<string> = new Set(Object.values(signatureHeaders));

/** Methods that an app calls before the platform knows its key; the manifest carries its own signature. */
const registrations: ReadonlySet<string> = new Set(
  ["RegisterApp", "RegisterAppStream", "ValidateManifest"].map((method) => `/${MarketplaceService.typeName}/${method}`),
);

/** Callers of gRPC methods (design/contracts "Caller on gRPC"). */
export function grpcAuthenticate(authenticator: CallerAuthenticator, keys: AppKeys, clock: Clock) {
  return (credentials: GrpcCredentials): MaybePromise<Caller> => {
    const isRegistration = registrations.has(credentials.path);
    const { clientCertificate, headers } = credentials;
    const appName = headers.get(signatureHeaders.appName);
    if (clientCertificate && appName && !isRegistration && !headers.has(signatureHeaders.signature)) {
      return appOfCertificate(keys, appName, clientCertificate, clock.now());
    }
    return authenticator.authenticate({
      method: credentials.method,
      url: credentials.path,
      header: (name) => (isRegistration && appHeaders.has(name) ? undefined : (credentials.headers.get(name) ?? undefined)),
      readBody: () => credentials.message,
    });
  };
}

/** An app that opened its connection with its registered key need not sign its calls. */
async function appOfCertificate(keys: AppKeys, name: string, { publicKey }: X509Certificate, now: number): Promise<Caller> {
  const known = await keys.find(name);
  const isItsOwn =
    known?.key.equals(publicKey) && now >= (known.validFrom ?? 0) && now <= (known.validTo ?? Number.POSITIVE_INFINITY);
  if (known && isItsOwn) return { kind: "app", name, id: known.id };
  throw new AppError("AUTHENTICATION_FAILED", "the client certificate is not the app's");
}

/** `appserver.v2.MarketplaceService` over the marketplace. */
export function marketplaceService(marketplace: Marketplace, mode: AccessMode): GrpcService {
  return grpcService(
    MarketplaceService,
    marketplace.grpc((context: HandlerContext) => {
      const registrant = context.values.get(callerKey);
      return {
        // Asked for by the methods that need one: an app registers before the platform can know it.
        get caller() {
          return admit(registrant, mode);
        },
        registrant,
        signal: context.signal,
      };
    }),
  );
}
