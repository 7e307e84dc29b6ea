import type { AccessMode } from "@appserver/access";
import type { ConfiguredTargets, HooksOptions } from "@appserver/hooks";
import type { BufferBudget, Clock, Logger } from "@appserver/kernel";
import type {
  AddressRules,
  Authorization,
  Broker,
  Cache,
  Database,
  Endpoint,
  IdentityProvider,
  Leases,
  Mail,
  Metrics,
  Outbox,
  Provisioning,
  SelfService,
  Tracer,
} from "@appserver/kernel/ports";
import type { Gallery, MarketplacePolicy } from "@appserver/marketplace";
import type { OptionReport } from "@appserver/options";
import type { PublicWakes } from "@appserver/proxy";
import type { RegistryOptions } from "@appserver/registry";
import type { EncryptionKeys } from "@appserver/settings";
import type { GrpcListenerOptions } from "@appserver/transports/grpc";
import type { ReadinessCheck } from "@appserver/transports/http";
import type { UiDeps } from "@appserver/ui";
import type { FirstAdministratorOptions } from "./first-administrator.ts";
import type { WatchedMachine } from "./incidents.ts";
import type { MainListener } from "./main-listener.ts";
import type { Retention } from "./retention.ts";

/** One started driver of each family. Services do not depend on which driver it is. */
export interface Drivers {
  readonly database: Database;
  readonly broker: Broker;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly cache: Cache;
  readonly authorization: Authorization;
  readonly identity: IdentityProvider;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

export interface ServerOptions {
  /** Id of this installation in container labels and event sources. */
  readonly instance: string;
  /** Already open. It serves requests once all components behind it run. */
  readonly mainListener: MainListener;
  readonly grpc: Pick<
    GrpcListenerOptions,
    "host" | "port" | "allowedHosts" | "tls" | "reflection" | "limits" | "shutdownTimeoutMs"
  >;
  /** The identity provider, if requests of browsers to `/self-service/*` are passed on to it. */
  readonly selfService?: SelfService | undefined;
  /** The SCIM service of the identity provider, if it has one. */
  readonly provisioning?: Provisioning | undefined;
  /** Set if the platform takes images of apps. */
  readonly registry?: RegistryOptions | undefined;
  /** Set if the platform has accounts of its own. */
  readonly firstAdministrator?: FirstAdministratorOptions | undefined;
  /** What groups of the identity provider are given. */
  readonly groupMap: Readonly<Record<string, readonly string[]>>;
  /** Checks of /ready in addition to those of the drivers. */
  readonly checks?: readonly ReadinessCheck[];
  /** Access to GraphQL and gRPC for callers without credentials. */
  readonly access: AccessMode;
  /** Whether every caller may introspect the GraphQL schema. Administrators always may. */
  readonly introspection: boolean;
  /** Where the built pages of the documentation are. */
  readonly docs: () => Promise<string>;
  /** At least 16 bytes. Authenticates the data that replicas share in the cache. */
  readonly macKey: Uint8Array;
  readonly hooksPolicy: HooksOptions;
  /** Undefined: the platform sends no mail. */
  readonly mail: Mail | undefined;
  /** What of this machine incidents are found in. */
  readonly watched: WatchedMachine;
  /** Notification targets that the options define. */
  readonly configuredTargets: ConfiguredTargets;
  readonly retention: Retention;
  /** Maximum number of queued activity runs of one app. */
  readonly maxQueuedRunsPerApp: number;
  /** Keys for the encryption of stored settings. */
  readonly settingsKeys: EncryptionKeys;
  readonly policy: MarketplacePolicy;
  /** The apps that the platform brings, if it brings any. */
  readonly gallery?: Gallery | undefined;
  /** How long an app may be idle until it falls asleep. Undefined: only apps with a setting do. */
  readonly sleepAfterMs: number | undefined;
  /** How long a request waits for an app that is asleep. */
  readonly wakeTimeoutMs: number;
  readonly publicWakes: PublicWakes;
  /**
   * Address rules for apps' upstreams, and the endpoints of the platform's dependencies, which upstreams may not use: read at every
   * connection. The platform's own ports are added.
   */
  readonly upstreams: AddressRules & { readonly endpoints: () => readonly Endpoint[] };
  /** Time to cache a session check; with 0 every request checks (docs/interface/permissions.md#sessions). */
  readonly sessionCacheTtlMs: number;
  /** Origins, in addition to the platform's own, whose pages may use a session cookie for changes. */
  readonly allowedOrigins: readonly string[];
  /** Whether headers that a manifest lists are forwarded unchanged, including a session in them. */
  readonly forwardSession: boolean;
  /** Maximum size of request bodies, for apps whose manifests set none. */
  readonly maxBodyBytes: number;
  /** Maximum size of the target and headers that a backend receives of a request. */
  readonly maxForwardedBytes: number;
  readonly graphqlMaxBodyBytes: number;
  readonly assets: Pick<UiDeps, "cacheBytes" | "cacheTtlMs" | "unversionedCache">;
  /** Budget of all data that listeners buffer. */
  readonly budget: BufferBudget;
  /** Called when another process changed permissions, before they are checked again. */
  readonly onPermissionsChanged?: () => void;
  /** Prefix of the server's durable queues (docs/interface/events.md#broker-layout). */
  readonly queuePrefix: string;
  /** Every option of the server with its source, secrets masked. */
  readonly optionReport: readonly OptionReport[];
  readonly clock: Clock;
  readonly logger: Logger;
}
