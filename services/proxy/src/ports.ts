import type { KeyObject } from "node:crypto";
import type { Duplex, Readable } from "node:stream";
import type { MaybePromise, RecentPermissionChanges } from "@appserver/kernel";
import type { ProxiedApp, UpstreamTarget } from "./domain/proxied-app.ts";

export type {
  Authorization,
  Cache,
  CounterHandle,
  HistogramHandle,
  IdentityProvider,
  MarkOutcome,
  Metrics,
  Session,
  SessionCredential,
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

/** Public keys of apps, for request signatures. */
export interface AppKeys {
  find(appName: string): MaybePromise<AppKey | undefined>;
}

export interface AppKey {
  /** The app's id. */
  readonly id: string;
  readonly key: KeyObject;
  /** Validity of the certificate, in milliseconds since the epoch. */
  readonly validFrom?: number;
  readonly validTo?: number;
}

/** Changes of permissions. They are stored where writers of the shared cache cannot modify them. */
export interface PermissionChanges {
  /** Returns changes read at most a few seconds ago. Undefined if the read failed, or if an event announced a later change. */
  recent(): RecentPermissionChanges | undefined;
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
