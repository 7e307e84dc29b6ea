import type { X509Certificate } from "node:crypto";
import {
  anonymousCaller,
  BufferBudget,
  type BufferLease,
  type Caller,
  type MaybePromise,
  type RequiredPermissions,
} from "@appserver/kernel";
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** The caller: `context.values.get(callerKey)` in an implementation. */
export const callerKey: ContextKey<Caller> = createContextKey<Caller>(anonymousCaller, { description: "caller" });

/** The id of the call: the caller's `x-request-id` if it is well formed, else a UUIDv7. */
export const requestIdKey: ContextKey<string> = createContextKey("", { description: "request id" });

/** Permissions that a stream checks again. */
export const requiredKey: ContextKey<RequiredPermissions | undefined> = createContextKey<RequiredPermissions | undefined>(
  undefined,
  { description: "required permissions" },
);

/** The reason to refuse the call before its message is decoded: credentials, size, or unreadable content. */
export const refusalKey: ContextKey<Error | undefined> = createContextKey<Error | undefined>(undefined, {
  description: "refusal",
});

/** Counts the memory that the call buffers. Released when the call is over. */
export const leaseKey: ContextKey<BufferLease> = createContextKey(new BufferBudget({ totalBytes: 0 }).lease(), {
  description: "buffer lease",
});

/** The certificate of the client's connection (mTLS). */
export const clientCertificateKey: ContextKey<X509Certificate | undefined> = createContextKey<X509Certificate | undefined>(
  undefined,
  { description: "client certificate" },
);

/** Credentials of a call (docs/interface/grpc.md#callers). */
export interface GrpcCredentials {
  /** `POST`, except for Connect's GET. */
  readonly method: string;
  /** `/appserver.v2.MarketplaceService/RegisterApp` */
  readonly path: string;
  readonly headers: Headers;
  /** Address of the peer. Failed signatures are limited by address. */
  readonly remoteAddress: string;
  /**
   * Reads the bytes that an app signs: the serialised message, without envelope or compression, of a unary call; empty for
   * streams. They count in the share of the app. Rejects with RESOURCE_EXHAUSTED beyond `maxBytes`. Called only if the headers
   * alone are valid.
   */
  readMessage(maxBytes: number, appName: string): Promise<Uint8Array>;
  /**
   * The client has the private key of this certificate, but no authority signed it. The platform checks the owner and the
   * validity period.
   */
  readonly clientCertificate?: X509Certificate;
}

/**
 * Checks the caller of a stream again. Throws or rejects with AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE if it would be
 * refused.
 */
export type ReauthenticationOfCall = (
  call: Pick<GrpcCredentials, "method" | "path" | "headers">,
  caller: Caller,
) => () => MaybePromise<void>;

/** The caller, and how much of the call is read for it. */
export interface CallAdmission {
  readonly caller: Caller;
  /**
   * Whether the caller proved its identity, or that it may register apps. Other callers share only a part of the buffer budget.
   */
  readonly isProven: boolean;
  /** Maximum size of a message, before and after inflation. */
  readonly maxMessageBytes: number;
}

/**
 * Authenticates a call by its headers, and reads its message only if a signature covers it. Throws AUTHENTICATION_REQUIRED,
 * AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE.
 */
export type AuthenticateCall = (credentials: GrpcCredentials) => MaybePromise<CallAdmission>;
