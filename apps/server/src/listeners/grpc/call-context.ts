import type { X509Certificate } from "node:crypto";
import { type AppError, anonymousCaller, type Caller, type MaybePromise } from "@appserver/kernel";
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** Who calls: `context.values.get(callerKey)` in an implementation. */
export const callerKey: ContextKey<Caller> = createContextKey<Caller>(anonymousCaller, { description: "caller" });

/** The call's id: the caller's `x-request-id` if it is well formed, else a UUIDv7. */
export const requestIdKey: ContextKey<string> = createContextKey("", { description: "request id" });

/** The request message of a unary call as the caller serialised it; empty for streams. */
export const messageBytesKey: ContextKey<Uint8Array> = createContextKey(new Uint8Array(), { description: "message bytes" });

/** Why the message of a call cannot be read. */
export const unreadableKey: ContextKey<AppError | undefined> = createContextKey<AppError | undefined>(undefined, {
  description: "unreadable message",
});

/** The certificate of the client's connection (mTLS). */
export const clientCertificateKey: ContextKey<X509Certificate | undefined> = createContextKey<X509Certificate | undefined>(
  undefined,
  { description: "client certificate" },
);

/** What a call proves its caller with (design/contracts "Caller on gRPC"). */
export interface GrpcCredentials {
  /** `POST` but for Connect's GET. */
  readonly method: string;
  /** `/appserver.v2.MarketplaceService/RegisterApp` */
  readonly path: string;
  readonly headers: Headers;
  /** What an app signs: the serialised message, without envelope or compression, of unary calls; empty for streams. */
  readonly message: Uint8Array;
  /** The client has its key, and nobody vouches for it: whose it is, and whether it is of its time, the platform decides. */
  readonly clientCertificate?: X509Certificate;
}

/** Tells the caller, or throws AUTHENTICATION_REQUIRED, AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE. */
export type AuthenticateCall = (credentials: GrpcCredentials) => MaybePromise<Caller>;
