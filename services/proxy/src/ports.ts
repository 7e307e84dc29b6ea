import type { Duplex, Readable } from "node:stream";
import type { Caller, CredentialedRequest, MaybePromise } from "@appserver/kernel";
import type { ProxiedApp, UpstreamTarget } from "./domain/proxied-app.ts";

export type {
  Cache,
  CounterHandle,
  HistogramHandle,
  Metrics,
  Span,
  Tracer,
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

/** Checks permissions of callers. */
export interface ScopePermissions {
  /** Returns whether the caller holds a scope object (`permission_scope:…`). Throws or rejects with SERVICE_UNAVAILABLE. */
  allowed(caller: Caller, scopeObject: string): MaybePromise<boolean>;
}

/** Decides which apps' pages may act as pages of the platform itself. */
export interface OriginRights {
  /** Returns whether the app holds the permission `page:origin`. Never rejects. */
  mayActForOrigin(app: { readonly name: string; readonly id: string }): MaybePromise<boolean>;
}

/** Opens connections to apps. */
export interface Upstreams {
  /** Throws RangeError if the URL is not valid for an upstream. */
  open(target: UpstreamTarget): Upstream;
}

/** One app's upstream. Its connections are not shared with other apps. */
export interface Upstream {
  /** Sends one request. The receiver gets every outcome, including errors. Never throws or retries. */
  send(request: UpstreamRequest, receiver: UpstreamReceiver): void;
  /** Waits for running requests, then closes. With a grace (milliseconds), aborts requests that take longer. */
  close(graceMs?: number): Promise<void>;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query below the upstream's base path. Empty, or only a query, for the base path itself exactly as written. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: string[];
  readonly body: Readable | Uint8Array | undefined;
  /** The protocol to switch to. */
  readonly upgrade?: string;
}

/** Headers with lower-case names. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface UpstreamReceiver {
  /** Called when the request has a connection. */
  onStart(call: UpstreamCall): void;
  /** Called with the final status and its headers. */
  onHead(status: number, headers: UpstreamHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Called when the upstream switched protocols. The receiver then owns the socket. */
  onUpgrade(headers: UpstreamHeaders, socket: Duplex): void;
  /** Called when the call fails. This ends the call at any point, also before `onStart`. */
  onError(error: UpstreamFailure): void;
}

export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Aborts the call. The receiver is not called again. */
  abort(): void;
}

/** The failure of a call. `cause` has the full error. */
export interface UpstreamFailure {
  readonly kind: "denied" | "unreachable" | "reset" | "protocol" | "body";
  readonly cause: unknown;
}
