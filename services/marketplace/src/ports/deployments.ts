import type { AppRecord } from "../domain/app.ts";

/** The orchestrator's record of one app's container. It is re-read whenever an event reports a change. */
export interface DeploymentView {
  readonly id: string;
  readonly appId: string;
  readonly appVersion: string;
  readonly state: string;
  readonly containerId: string | undefined;
  readonly healthStatus: "UNKNOWN" | "HEALTHY" | "UNHEALTHY";
  readonly driver: string;
  readonly image: string;
  readonly imageDigest: string | undefined;
  readonly containerName: string;
  readonly generation: number;
  /** The operation that it was started for, if it was started for a switch. */
  readonly operationId?: string | undefined;
  readonly restartCount: number;
  /** Since when its container is stopped, or is about to be, for a release that replaces it. */
  readonly pausedAt?: Date | undefined;
  /** The digest of the configuration that it should have. Undefined while its container has that one. */
  readonly wantedConfiguration?: string | undefined;
  /** Of the pull of its image: 0..1 if the engine reports sizes. */
  readonly progress: number | undefined;
  readonly endpoint: string | undefined;
  readonly lastError: { readonly code: string; readonly message: string } | undefined;
  /** How the app last ended by itself, with the last lines that it printed. */
  readonly lastCrash: DeploymentCrash | undefined;
  /** What the container was created with. Undefined before that. */
  readonly limits: { readonly memoryMb: number; readonly cpuShares: number; readonly pids: number } | undefined;
  /** How its health is checked. Without a path it counts as healthy while it runs. */
  readonly healthPlan: DeploymentHealthPlan | undefined;
  /** When the orchestrator tries again, if it waits. */
  readonly notBefore?: Date | undefined;
  /** True if the orchestrator has given up. It does nothing more until a user acts. */
  readonly final: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DeploymentCrash {
  readonly at: Date;
  readonly exitCode: number | undefined;
  /** Oldest first. */
  readonly output: readonly string[];
}

export interface DeploymentHealthPlan {
  readonly path: string | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Failures in a row that make the app unhealthy. */
  readonly threshold: number;
}

/** What the state of an app follows from. */
export type DeploymentStatus = Pick<DeploymentView, "appId" | "generation" | "state" | "final" | "endpoint" | "imageDigest">;

export interface Deployments {
  /** Returns the deployment of a generation. Without one: the current deployment. */
  find(appId: string, generation?: number): Promise<DeploymentView | undefined>;
  /** Returns the deployments of all apps that serve, are about to, or are replaced. */
  statuses(): Promise<readonly DeploymentStatus[]>;
  /** Returns the names of apps whose current deployment is out of date. */
  outOfDate(): Promise<readonly string[]>;
  /** Requests a new container of the app. NOT_FOUND if it has no deployment. */
  restart(appName: string): Promise<void>;
  /** Has the orchestrator compare at once what runs of the app with what should run. */
  reconcile(appName: string): Promise<void>;
  /** Returns the storage of the app that exists, sorted by name. */
  storage(appId: string): Promise<readonly StoredStorage[]>;
  /** Returns the database of the app. Undefined until it is measured. */
  database(appId: string): Promise<StoredDatabase | undefined>;
  /**
   * Has one storage of an app deleted as soon as nothing of the app runs, unless another deployment than `deploymentId` began
   * since. Safe to repeat.
   */
  deleteStorage(app: Pick<AppRecord, "id" | "name">, storage: string, deploymentId: string | undefined): Promise<void>;
}

/** The approvals of permissions of the platform, for the orchestrator. */
export interface ApprovedApps {
  /**
   * Returns whether the app has an approval of the scope, for any of its releases: a release runs only if its own was approved, and a
   * revocation withdraws the approvals of all.
   */
  has(appId: string, scope: string): Promise<boolean>;
}

/** The database of an app at its last measurement. */
export interface StoredDatabase {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Since when it is over its limit and the app gets no connections. Undefined while it is within it. */
  readonly fullSince: Date | undefined;
  readonly measuredAt: Date;
}

/** A folder of an app that outlives its containers. */
export interface StoredStorage {
  readonly name: string;
  /** As the last container that had it declared it, as is `size`. */
  readonly mountPath: string;
  readonly size: string;
  readonly createdAt: Date;
  /** Undefined until it is measured. */
  readonly usedBytes: number | undefined;
  readonly measuredAt: Date | undefined;
}
