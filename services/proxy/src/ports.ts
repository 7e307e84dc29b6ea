import type { KeyObject } from "node:crypto";
import type { Duplex } from "node:stream";
import type { AppError, Caller, CredentialedRequest, MaybePromise } from "@appserver/kernel";
import type { Outbound, Upstream } from "@appserver/kernel/ports";
import type { CircuitBreaker, Opening } from "./domain/circuit-breaker.ts";
import type { CompiledApp } from "./domain/compiled-app.ts";
import type { ProxiedApp } from "./domain/proxied-app.ts";

export type {
  Cache,
  CounterHandle,
  HistogramHandle,
  Metrics,
  RequestLog,
  Span,
  Tracer,
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamReceiver,
  Window,
} from "@appserver/kernel/ports";

/** The installed apps that have an API, from memory. Used at start and when an app has changed. */
export interface ProxiedApps {
  /** Returns one installed app. Undefined if it is not installed or has no API. */
  get(name: string): ProxiedApp | undefined;
  all(): readonly ProxiedApp[];
  /** Reads an app as it is stored now. A change is reported before this resolves. Rejects if the database is unreachable. */
  refresh(name: string): Promise<void>;
}

/** An installed app as requests use it. */
export type RoutedApp = ServingApp | UnavailableApp;

export interface ServingApp {
  readonly isServing: true;
  readonly name: string;
  readonly generation: number;
  readonly compiled: CompiledApp;
  readonly manifestDigest: string | undefined;
  readonly upstreamKey: string;
  /** Of an app that is asleep: one that accepts no request. */
  readonly upstream: SharedUpstream;
  /** Whether its backend is stopped until a request, a delivery or a run starts it. */
  readonly isAsleep: boolean;
  /** Signs the requests to it. Undefined if they are not signed. */
  readonly forwardKey: KeyObject | undefined;
  readonly breaker: CircuitBreaker;
}

/** An upstream that stays open as long as a request uses it, even after the app has switched to another one. */
export interface SharedUpstream extends Pick<Upstream, "host" | "send" | "target"> {
  /** Must be followed by one call of {@link release}. */
  acquire(): void;
  release(): void;
  /** Notes a request that keeps the app awake. */
  use(): void;
}

export interface UnavailableApp {
  readonly isServing: false;
  readonly name: string;
  readonly generation: number;
  readonly reason: string;
  readonly retryAfterSeconds: number;
  /** Whether requests wait until the app serves again. */
  readonly isBuffered: boolean;
}

/** The installed apps by name, ready for requests. */
export interface ServedApps {
  find(name: string): RoutedApp | undefined;
  /** Whether all apps were loaded once. Before that, a missing app may still be installed. */
  readonly isLoaded: boolean;
}

/** Starts apps that are asleep. */
export interface Wakes {
  /** Asks for the start of the app. Safe to repeat. Rejects if the database is unreachable. */
  wake(appId: string): Promise<void>;
}

/** Identifies callers. */
export interface Callers {
  /**
   * Returns the caller, or anonymous if there are no credentials. Throws or rejects with AUTHENTICATION_FAILED,
   * PERMISSION_DENIED, SERVICE_UNAVAILABLE, or an error of `readBody`.
   */
  authenticate(request: CredentialedRequest): MaybePromise<Caller>;
  /** Returns a check for long-lived connections. It throws or rejects if the caller would not be accepted any more. */
  reauthentication(request: CredentialedRequest, caller: Caller): () => MaybePromise<void>;
}

/** The app whose circuit opened or closed. */
export type CircuitApp = Pick<CompiledApp, "id" | "name" | "version">;

export interface CircuitChange {
  readonly app: CircuitApp;
  readonly at: Date;
  /** Why the circuit opened. Undefined if it closed. */
  readonly opening: Opening | undefined;
}

/** Announces that circuits opened and closed (docs/interface/events.md#types). */
export interface CircuitEvents {
  /** Stores one event for each change, in this order. Rejects if none is stored. */
  append(changes: readonly CircuitChange[]): Promise<void>;
}

/** Opens connections to apps, only at allowed addresses, and through tunnels. */
export type Upstreams = Pick<Outbound, "open" | "openOver">;

export interface TunnelSpec {
  /** Of the developer's program, the same on every replica. */
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  /** Signs the requests through the tunnel. */
  readonly forwardKey: KeyObject;
}

/** What carries a tunnel. */
export interface TunnelCarrier {
  /** Opens a connection to the backend. */
  dial(): Duplex;
  /** Called once, when the tunnel is over. */
  end(): void;
}

/** An open tunnel to a backend on the machine of a user. */
export interface Tunnel {
  readonly upstream: SharedUpstream;
  readonly forwardKey: KeyObject;
  /** Why it was ended. Undefined while it is open, or if it has no reason. */
  readonly endedBy: AppError | undefined;
  /** The first call ends it. */
  close(reason?: AppError): void;
}

/** The open tunnels of this replica. */
export interface Tunnels {
  readonly isEmpty: boolean;
  find(appName: string, userId: string): Tunnel | undefined;
  /** Replaces another tunnel of the same user and app. Throws CONFLICT if it is open already. */
  open(spec: TunnelSpec, carrier: TunnelCarrier): Tunnel;
}
