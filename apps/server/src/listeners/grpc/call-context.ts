import type { X509Certificate } from "node:crypto";
import { anonymousCaller, BufferBudget, type BufferLease, type Caller, type MaybePromise } from "@appserver/kernel";
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** Who calls: `context.values.get(callerKey)` in an implementation. */
export const callerKey: ContextKey<Caller> = createContextKey<Caller>(anonymousCaller, { description: "caller" });

/** The call's id: the caller's `x-request-id` if it is well formed, else a UUIDv7. */
export const requestIdKey: ContextKey<string> = createContextKey("", { description: "request id" });

/** Why the call is refused before its message is decoded: its credentials, its size, or what cannot be read. */
export const refusalKey: ContextKey<Error | undefined> = createContextKey<Error | undefined>(undefined, {
  description: "refusal",
});

/** Counts what the call holds in memory; released when the call is over. */
export const leaseKey: ContextKey<BufferLease> = createContextKey(new BufferBudget().lease(), { description: "buffer lease" });

/** The certificate of the client's connection (mTLS). */
export const clientCertificateKey: ContextKey<X509Certificate | undefined> = createContextKey<X509Certificate | undefined>(
  undefined,
  { description: "client certificate" },
);

/** Credentials of a call (docs/interface/grpc.md#callers). */
export interface GrpcCredentials {
  /** `POST` but for Connect's GET. */
  readonly method: string;
  /** `/appserver.v2.MarketplaceService/RegisterApp` */
  readonly path: string;
  readonly headers: Headers;
  /** The peer's: how often signatures fail is limited by it. */
  readonly remoteAddress: string;
  /**
   * Reads what an app signs: the serialised message, without envelope or compression, of a unary call; empty for streams.
   * Rejects with RESOURCE_EXHAUSTED beyond `maxBytes`. To be asked for only when the headers alone look right.
   */
  readMessage(maxBytes: number): Promise<Uint8Array>;
  /** The client has its key, and nobody vouches for it: whose it is, and whether it is of its time, the platform decides. */
  readonly clientCertificate?: X509Certificate;
}

/** Throws or rejects once the caller of a stream would be refused; AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE. */
export type StandingOfCall = (
  call: Pick<GrpcCredentials, "method" | "path" | "headers">,
  caller: Caller,
) => () => MaybePromise<void>;

/** Who calls, and how much of the call is read for this caller. */
export interface CallAdmission {
  readonly caller: Caller;
  /** Whether the caller proved who it is, or that it may register apps: strangers get a part of the buffer budget only. */
  readonly isProven: boolean;
  /** Largest message, before and after inflation. */
  readonly maxMessageBytes: number;
}

/**
 * Judges a call by its headers, and reads its message only where a signature covers it. Throws AUTHENTICATION_REQUIRED,
 * AUTHENTICATION_FAILED or SERVICE_UNAVAILABLE.
 */
export type AuthenticateCall = (credentials: GrpcCredentials) => MaybePromise<CallAdmission>;
