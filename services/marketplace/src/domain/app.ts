import type { AppState } from "./app-state.ts";

export type Health = "UNKNOWN" | "HEALTHY" | "UNHEALTHY";

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

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
  /** The installed version, or the version that an installation would use. */
  readonly version: string;
  /** A higher version that is registered but not installed. */
  readonly availableVersion: string | undefined;
  readonly state: AppState;
  readonly enabled: boolean;
  readonly health: Health;
  /** SHA-256 of the pinned public key (SPKI, DER), hex. */
  readonly keyFingerprint: string;
  /** SHA-256 of the certificate, hex. */
  readonly certificateFingerprint: string;
  readonly manifestDigest: string;
  /** Grows with every installation. Deployments of older generations are stale. */
  readonly generation: number;
  /** The address of the app's container. Undefined while the container is not reachable. */
  readonly endpoint: string | undefined;
  readonly lastError: Problem | undefined;
  readonly conditions: readonly Condition[];
  readonly registeredAt: Date;
  readonly installedAt: Date | undefined;
  readonly updatedAt: Date;
  readonly rowVersion: number;
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

/** A long-running command and its progress. */
export interface OperationRecord {
  readonly id: string;
  readonly kind: "install" | "uninstall";
  readonly stage: string;
  /** 0..1 */
  readonly progress: number;
  readonly done: boolean;
  readonly error: Problem | undefined;
  readonly startedAt: Date;
  readonly finishedAt: Date | undefined;
}
