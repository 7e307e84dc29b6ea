import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { signatureHeaders } from "@appserver/contracts/signature";
import type { Caller, MaybePromise } from "@appserver/kernel";
import type { Marketplace } from "@appserver/marketplace";
import type { CallerAuthenticator } from "@appserver/proxy";
import type { HandlerContext } from "@connectrpc/connect";
import { callerKey, type GrpcCredentials, type GrpcService, grpcService } from "../listeners/grpc/index.ts";
import { type AccessMode, admit } from "./caller-access.ts";

const appHeaders: ReadonlySet<string> = new Set(Object.values(signatureHeaders));

/** Methods that an app calls before the platform knows its key; the manifest carries its own signature. */
const registrations: ReadonlySet<string> = new Set(
  ["RegisterApp", "RegisterAppStream", "ValidateManifest"].map((method) => `/${MarketplaceService.typeName}/${method}`),
);

/** Callers of gRPC methods (design/contracts "Caller on gRPC"). */
export function grpcAuthenticate(authenticator: CallerAuthenticator) {
  return (credentials: GrpcCredentials): MaybePromise<Caller> => {
    const isRegistration = registrations.has(credentials.path);
    return authenticator.authenticate({
      method: credentials.method,
      url: credentials.path,
      header: (name) => (isRegistration && appHeaders.has(name) ? undefined : (credentials.headers.get(name) ?? undefined)),
      readBody: () => credentials.message,
    });
  };
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
