import type { KeyObject } from "node:crypto";
import type { MaybePromise, RecentPermissionChanges } from "@appserver/kernel";
import type { SqlExecutor, Tuple } from "@appserver/kernel/ports";

export type {
  AuditLog,
  Authorization,
  Cache,
  CounterHandle,
  Database,
  GroupMemberships,
  IdentityProvider,
  MarkOutcome,
  Metrics,
  Session,
  SessionCredential,
  SqlExecutor,
  ToldGroups,
  Transaction,
} from "@appserver/kernel/ports";

/** Public keys of apps, for request signatures. */
export interface AppKeys {
  /** Returns the key from memory, if the app's signatures are accepted. */
  find(appName: string): MaybePromise<AppKey | undefined>;
  /** Returns the milliseconds since the memory last matched what is stored. */
  ageMs(): number;
  /** Reads the app and its key again. Rejects if the database is unreachable. */
  refresh(appName: string): Promise<void>;
}

export interface AppKey {
  /** The app's id. */
  readonly id: string;
  /** The key of the app's certificate. */
  readonly key: KeyObject;
  /** Validity of the certificate, in milliseconds since the epoch. */
  readonly validFrom?: number;
  readonly validTo?: number;
  /** Whether an operator has disabled the app. Its signatures are then refused. */
  readonly isDisabled?: boolean;
  /** The keys of its deployments that run. */
  readonly workloadKeys?: readonly WorkloadKey[];
}

/** The key that the platform made for one deployment. */
export interface WorkloadKey {
  readonly key: KeyObject;
  /** The end of its certificate, in milliseconds since the epoch. */
  readonly validTo: number;
}

/** Changes of permissions. They are stored where writers of the shared cache cannot modify them. */
export interface PermissionChanges {
  /** Returns changes read at most a few seconds ago. Undefined if the read failed, or if an event announced a later change. */
  recent(): RecentPermissionChanges | undefined;
}

/** What one source last reported of the groups of a person. */
export interface GroupReading {
  readonly userId: string;
  /** `oidc:<provider>` or `scim` */
  readonly source: string;
  readonly groups: readonly string[];
  readonly readAt: Date;
}

/** Stores what sources report of the groups of people. */
export interface GroupReadings {
  /** Lets one transaction at a time change what is reported of a person. */
  lock(tx: SqlExecutor, userId: string): Promise<void>;
  replace(tx: SqlExecutor, reading: Omit<GroupReading, "readAt">): Promise<void>;
  of(executor: SqlExecutor, userIds: readonly string[]): Promise<readonly GroupReading[]>;
  /** Returns whether the source has told in the last `maxAgeMs`. */
  isFresh(tx: SqlExecutor, told: Pick<GroupReading, "userId" | "source">, maxAgeMs: number): Promise<boolean>;
}

/** Stores which tuples the option `identity.groups` wrote. */
export interface MappedGrants {
  /** Lets one transaction at a time change them. */
  lock(tx: SqlExecutor): Promise<void>;
  all(executor: SqlExecutor): Promise<readonly Tuple[]>;
  change(tx: SqlExecutor, added: readonly Tuple[], removed: readonly Tuple[]): Promise<void>;
}

/** Makes accounts that the invited people complete. */
export interface Invitations {
  /** Throws AppError: INVALID_REQUEST for a text that is no address, CONFLICT for the address of an account that is complete. */
  invite(invitation: {
    readonly email: string;
    readonly name?: string;
    readonly invitedBy: string;
    readonly validMs: number;
  }): Promise<{ readonly userId: string; readonly path: string; readonly endsAt: Date }>;
}
