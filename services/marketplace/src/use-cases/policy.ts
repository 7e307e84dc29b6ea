import type { ReplicaLimit } from "@appserver/contracts/settings";
import type { MaxLimits } from "../domain/excessive-limits.ts";
import type { CrossAppApproval } from "../domain/required-permissions.ts";

/** Rules that the operator sets. */
export interface MarketplacePolicy {
  /** Semantic version of the platform. */
  readonly platformVersion: string;
  readonly registration: "open" | "token" | "ca";
  /** Set if `registration` is `token`. */
  readonly registrationToken?: string;
  /** PEM certificates of the authorities that may issue app certificates, if `registration` is `ca`. */
  readonly certificateAuthorities?: readonly string[];
  /** Whether unsigned assets and unsigned first manifests are accepted (the default in embedded mode). */
  readonly allowUnsigned: boolean;
  /** Which permissions on other apps need an approval. */
  readonly crossAppApproval: CrossAppApproval;
  /** `{registry_url}` of docs/interface/containers.md#image. Empty: use images of the local container engine. */
  readonly imageRegistry: string;
  /** The stage of apps whose settings do not set one. */
  readonly imageStage: string;
  /** Whether the registration of an app with a container is refused if its manifest does not name the image by its digest. */
  readonly requiresImageDigest: boolean;
  /** The highest limits that an app may declare for its container. */
  readonly maxLimits: MaxLimits;
  /** How many instances of an app run at most. */
  readonly replicaLimit: ReplicaLimit;
  /** Number of releases of each app that are kept, including the one that serves. */
  readonly keepVersions: number;
  /** Whether people see which apps with pages there are that they may not use. */
  readonly listsAllApps: boolean;
  /** Maximum time for the exchanges of a deployment that was replaced. The orchestrator begins another switch only after it. */
  readonly drainTimeoutMs: number;
}
