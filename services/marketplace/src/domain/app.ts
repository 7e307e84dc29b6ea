import { addressesOf, type DeploymentRecord } from "@appserver/contracts/deployments";
import type { PipelineRun, Problem } from "@appserver/kernel";
import type { AppState } from "./app-state.ts";

export type Health = "UNKNOWN" | "HEALTHY" | "UNHEALTHY";

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** A registered app. `rowVersion` grows with every write, so that only one of two racing commands succeeds. */
export interface AppRecord {
  /** UUIDv7 */
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  /** What the app is for, in one sentence. */
  readonly description: string | undefined;
  /** The installed version, or the version that an installation would use. */
  readonly version: string;
  /** Of that version: 1, or higher if changed content was accepted under the same version. */
  readonly revision: number;
  /** A newer release that is registered but not installed: a higher version, or another revision of the same version. */
  readonly availableVersion: string | undefined;
  /** The manifest's digest of that release. */
  readonly availableDigest: string | undefined;
  /**
   * The digest of that release, until it is decided whether the app switches to it by itself. Undefined afterwards, and when any
   * switch begins.
   */
  readonly releaseAwaitingAutoUpgrade?: string | undefined;
  readonly state: AppState;
  readonly enabled: boolean;
  readonly health: Health;
  /** SHA-256 of the pinned public key (SPKI, DER), hex. */
  readonly keyFingerprint: string;
  /** SHA-256 of the certificate, hex. */
  readonly certificateFingerprint: string;
  readonly manifestDigest: string;
  /** The digest of the image that the release runs. Undefined before the first deployment resolved it. */
  readonly imageDigest: string | undefined;
  /** Grows with every installation and every switch to another release. Deployments of older generations are stale. */
  readonly generation: number;
  /** The highest generation that any deployment of the app ever had, including those that never served. */
  readonly lastGeneration: number;
  /** Set while the app switches to another release. Until the switch, the current release serves. */
  readonly target: SwitchTarget | undefined;
  /**
   * When a release that was to replace the running one failed, or the current deployment was stopped for a snapshot. Until it is healthy
   * again, requests wait.
   */
  readonly requestsBufferedSince?: Date | undefined;
  /**
   * The digest of the configuration with which the last automatic replacement of the deployment failed. It is not tried again until
   * the configuration changes.
   */
  readonly failedConfiguration?: string | undefined;
  /** The address of the app's container. Undefined while the container is not reachable. */
  readonly endpoint: string | undefined;
  /** Of the instances of its container, if requests are spread over them. At least one. */
  readonly addresses?: readonly string[] | undefined;
  /** Since when its container is stopped because it was idle. It is still RUNNING: a request, a delivery or a run starts it. */
  readonly asleepSince?: Date | undefined;
  readonly lastError: Problem | undefined;
  readonly conditions: readonly Condition[];
  /** Undefined unless it began as a clone. */
  readonly clonedFrom?: CloneOrigin | undefined;
  readonly registeredAt: Date;
  readonly installedAt: Date | undefined;
  readonly updatedAt: Date;
  readonly rowVersion: number;
}

/** Where the container of an app is. */
export type AppAddress = Pick<AppRecord, "endpoint" | "addresses">;

/** Of an app whose container is not reachable. */
export const noAddress: AppAddress = { endpoint: undefined, addresses: undefined };

export function addressOf(deployment: Pick<DeploymentRecord, "endpoint" | "wantedInstances" | "instances">): AppAddress {
  return { endpoint: deployment.endpoint, addresses: addressesOf(deployment) };
}

export function isSameAddress(one: AppAddress, other: AppAddress): boolean {
  return one.endpoint === other.endpoint && String(one.addresses) === String(other.addresses);
}

/** What a clone was made of (docs/interface/snapshots.md#clone). */
export interface CloneOrigin {
  /** Id of the original. */
  readonly appId: string;
  /** Whose data it gets before it is installed. */
  readonly snapshotId: string;
  /** The app in whose repository the image of the clone is. */
  readonly imageOwner: string;
  /** Of the release that is the clone. Later releases of the app have images of their own. */
  readonly manifestDigest: string;
  /** The digest of its image, which the engine keeps also before the clone is installed. */
  readonly imageDigest: string;
}

/** Returns the name of the app in whose repository the image of a release is. */
export function imageOwnerOf({ name, clonedFrom }: Pick<AppRecord, "name" | "clonedFrom">, manifestDigest: string): string {
  return clonedFrom && clonedFrom.manifestDigest === manifestDigest ? clonedFrom.imageOwner : name;
}

/** A registered revision of a version. */
export interface Release {
  readonly version: string;
  readonly revision: number;
  readonly manifestDigest: string;
  readonly imageDigest: string | undefined;
  readonly registeredAt: Date;
  readonly registeredBy: string | undefined;
  /** The run of the trusted pipeline that registered it. */
  readonly source: PipelineRun | undefined;
  /** When it last began to serve. Undefined if it never did. */
  readonly servedAt: Date | undefined;
}

export type SwitchKind = "upgrade" | "rollback" | "redeploy";

/** How an app changes to another release: the new one starts while the old one runs, or after the old one has stopped. */
export type SwitchStrategy = "side_by_side" | "replace";

/** The release that an app is switching to. */
export interface SwitchTarget extends Pick<Release, "version" | "revision" | "manifestDigest" | "imageDigest"> {
  readonly kind: SwitchKind;
  readonly strategy: SwitchStrategy;
  /** Set once a release that replaces the running one is ready to start. From then on requests wait for it. */
  readonly holdsRequests?: true;
  /** The generation of its deployment, and of the app after the switch. */
  readonly generation: number;
  readonly operationId: string;
  readonly actor: string | undefined;
  /** The digest of the configuration that an automatic replacement is for. */
  readonly configuration?: string | undefined;
  /** Whether a snapshot of the app's data is taken before the release starts. */
  readonly snapshotFirst?: true | undefined;
  /** The snapshot whose data the app gets before the release starts. The strategy is `replace` then. */
  readonly restoredSnapshot?: string | undefined;
  /** Of the command that began the switch. What ends the switch continues it. */
  readonly traceparent?: string | undefined;
}

/** A committed change of the release that serves. */
export interface VersionChange extends Pick<Release, "version" | "revision" | "manifestDigest" | "imageDigest"> {
  readonly kind: "install" | SwitchKind | "revert";
  readonly fromVersion: string | undefined;
  readonly actor: string | undefined;
  /** Why the platform reverted by itself. */
  readonly reason: string | undefined;
  readonly at: Date;
}

/** One committed change of state. */
export interface AppTransition {
  readonly from: AppState | undefined;
  readonly to: AppState;
  readonly reason: string;
  readonly actor: string | undefined;
  readonly at: Date;
}

/** A file of a version's frontend, without its contents. */
export interface AssetRecord {
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  /** hex */
  readonly sha256: string;
  readonly signatureAlgorithm: string;
}

/** Commands that another one interrupts: it takes their place. */
type ExclusiveKind = "install" | "uninstall" | SwitchKind | "enable" | "disable" | "restart" | "delete";

/** Commands that change neither what serves nor whether it runs. A command that still runs continues. */
export const concurrentKinds = [
  "register",
  "approve",
  "revoke",
  "replace_key",
  "delete_storage",
  "create_snapshot",
  "restore_snapshot",
  "delete_snapshot",
] as const;

export type OperationKind = ExclusiveKind | (typeof concurrentKinds)[number];

/** A command and its progress. */
export interface OperationRecord {
  readonly id: string;
  readonly appName: string;
  readonly kind: OperationKind;
  /** The version that it works on. */
  readonly version: string;
  readonly actor: string | undefined;
  /** The program of the language model that acted for the actor. */
  readonly client: string | undefined;
  readonly stage: string;
  /** 0..1 */
  readonly progress: number;
  readonly done: boolean;
  readonly error: Problem | undefined;
  /** Why it is not done yet: number of the attempt and last failure of its deployment. Not stored. Undefined before a failure. */
  readonly reason?: string | undefined;
  readonly startedAt: Date;
  readonly finishedAt: Date | undefined;
}
