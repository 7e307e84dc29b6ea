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

/** Installed apps with their routes, as the marketplace tells them. Asked at start and when an app has changed. */
export interface RouteSource {
  /** Every installed app that has an API. Rejects when they cannot be read; the proxy then keeps what it has. */
  loadAll(): Promise<readonly ProxiedApp[]>;
  /** One installed app; undefined when it is not installed or has no API. */
  load(name: string): Promise<ProxiedApp | undefined>;
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

/** Changes of permissions, kept where whoever may write to the shared cache cannot change them. */
export interface PermissionChanges {
  /** What was read a few seconds ago at most; undefined when that failed, or an event announced a later change. */
  recent(): RecentPermissionChanges | undefined;
}

/** Opens connections to apps. */
export interface Upstreams {
  /** Throws RangeError when the URL cannot be an upstream's. */
  open(target: UpstreamTarget): Upstream;
}

/** One app's upstream: its connections, and nobody else's. */
export interface Upstream {
  /** Sends one request. The receiver hears all of its fate, errors included; nothing is thrown, nothing retried. */
  send(request: UpstreamRequest, receiver: UpstreamReceiver): void;
  /** Lets requests under way finish, then closes; with a grace, ends those that take longer, in milliseconds. */
  close(graceMs?: number): Promise<void>;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query below the upstream's own base path; empty, or a query alone, for that path itself as it is written. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: Readable | Uint8Array | undefined;
  /** Protocol to switch to. */
  readonly upgrade?: string;
}

/** Headers with lower-case names. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface UpstreamReceiver {
  /** The request has a connection. */
  onStart(call: UpstreamCall): void;
  /** A final status and its headers. */
  onHead(status: number, headers: UpstreamHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** The upstream switched protocols: the socket is the receiver's now. */
  onUpgrade(headers: UpstreamHeaders, socket: Duplex): void;
  /** Ends the call at any point, also before `onStart`. */
  onError(error: UpstreamFailure): void;
}

export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** The receiver hears no more. */
  abort(): void;
}

/** What went wrong on the way. `cause` has the whole of it. */
export interface UpstreamFailure {
  readonly kind: "denied" | "unreachable" | "reset" | "protocol" | "body";
  readonly cause: unknown;
}
