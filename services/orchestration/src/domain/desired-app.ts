import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";

/** The health check that an app declares (docs/interface/manifest.md#health-check). */
export interface HealthCheck {
  /** Starts with `/`. */
  readonly path: string;
  /** Undefined or 0, here and below: the operator's default applies (docs/interface/containers.md#health). */
  readonly intervalSeconds?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Number of consecutive failures that make the app unhealthy. */
  readonly unhealthyThreshold?: number | undefined;
}

/** A folder of the container that outlives it (docs/interface/manifest.md#storage). */
export interface DeclaredStorage {
  readonly name: string;
  readonly mountPath: string;
  /** `1Gi` */
  readonly size: string;
}

/** A release of an app, in the form that a deployment of it needs. */
interface Release {
  readonly version: string;
  /** SHA-256 of the manifest, hex. */
  readonly manifestDigest: string;
  /** The digest that the signed manifest names. The release runs this image and no other. Undefined: a tag names the image. */
  readonly signedDigest?: string | undefined;
  /** The digest of the image that the tag named before. Undefined: the one that it names when it is pulled. */
  readonly imageDigest: string | undefined;
  /** The app in whose repository the image is: the app itself, or the one that it is a clone of. */
  readonly imageOwner: string;
  /** Grows with every installation and every switch to another release. */
  readonly generation: number;
  /** False for apps with an external backend or without a backend. */
  readonly needsContainer: boolean;
  /** The port that the app listens on (docs/interface/containers.md#network). */
  readonly upstreamPort: number;
  /** Undefined: the app counts as healthy while it runs. */
  readonly healthCheck: HealthCheck | undefined;
  /** The declared dependencies. Each gets an `UPSTREAM_` variable. */
  readonly dependencies: readonly { readonly name: string }[];
  readonly storage: readonly DeclaredStorage[];
  /** Whether two of its containers may have the storage at the same time, during a switch. Undefined: no. */
  readonly sharesStorage?: boolean | undefined;
  /** The app's setting `docker.image.stage`. Of no meaning with a signed digest. */
  readonly imageStage?: string | undefined;
  /** The constants that the app declares for its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The app's settings whose values are in its environment. */
  readonly settingVariables: readonly SettingDefinition[];
  /** The user that the app declares for its container. */
  readonly user?: string | undefined;
  /** A permission that its container needs and that was not approved, or no longer is. Then nothing of it runs. */
  readonly unapproved?: string | undefined;
  readonly limits: ContainerLimits;
  readonly replicas: ReplicaRange;
}

/** How many instances of an app should run, before the limits of the platform. The number is `min` unless the engine changes it. */
export interface ReplicaRange {
  readonly min: number;
  readonly max: number;
  readonly cpuPercent?: number | undefined;
}

/** The limits that an app declares. Undefined: the operator's default applies. */
export interface ContainerLimits {
  /** MiB */
  readonly memoryMb?: number | undefined;
  readonly cpuShares?: number | undefined;
  readonly pids?: number | undefined;
}

/** An installed app, as the marketplace currently stores it. */
export interface DesiredApp extends Release {
  readonly id: string;
  readonly name: string;
  /** False: nothing of the app should run. */
  readonly enabled: boolean;
  /** The release that the app switches to. It should run as well (docs/interface/states.md#switch). */
  readonly next: DesiredRelease | undefined;
}

export interface DesiredRelease extends Release {
  /** The operation that starts it. Another attempt to start the same release is another operation. */
  readonly operationId: string;
  /** `replace`: the current deployment is stopped before this one is started. */
  readonly strategy: "side_by_side" | "replace";
  /** Whether the data of the app is copied before it starts. */
  readonly snapshotFirst?: boolean | undefined;
  /** The id of the snapshot whose data the app gets before it starts. Only with `replace`. */
  readonly restoredSnapshot?: string | undefined;
}
