import type { Caller, CredentialedRequest, MaybePromise } from "@appserver/kernel";
import type { Outbound } from "@appserver/kernel/ports";
import type { ProxiedApp } from "./domain/proxied-app.ts";

export type {
  Cache,
  CounterHandle,
  HistogramHandle,
  Metrics,
  Span,
  Tracer,
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamReceiver,
  Window,
} from "@appserver/kernel/ports";

/** The installed apps that have an API, from memory. Read at start and when an app has changed. */
export interface ProxiedApps {
  /** Returns one installed app. Undefined if it is not installed or has no API. */
  get(name: string): ProxiedApp | undefined;
  all(): readonly ProxiedApp[];
}

/** Identifies callers. */
export interface Callers {
  /**
   * Returns the caller, or anonymous if there are no credentials. Throws or rejects with AUTHENTICATION_FAILED,
   * PERMISSION_DENIED, SERVICE_UNAVAILABLE, or an error of `readBody`.
   */
  authenticate(request: CredentialedRequest): MaybePromise<Caller>;
  /** Returns a check for long-lived connections. It throws or rejects if the caller would not be accepted any more. */
  standing(request: CredentialedRequest, caller: Caller): () => MaybePromise<void>;
}

/** Decides which apps' pages may act as pages of the platform itself. */
export interface OriginRights {
  /** Returns whether the app holds the permission `page:origin`. Never rejects. */
  mayActForOrigin(app: { readonly name: string; readonly id: string }): MaybePromise<boolean>;
}

/** Opens connections to apps, only at allowed addresses. */
export type Upstreams = Pick<Outbound, "open">;
