import type { AppSnapshots, Deployments } from "@appserver/contracts/deployments";
import type { Clock, Logger } from "@appserver/kernel";
import type { KeyMaker } from "../domain/single-use-key.ts";
import type {
  ApiDescriptions,
  ApiDocuments,
  AppParticipant,
  AppPermissions,
  AppRegistry,
  ApprovalStore,
  AppSettings,
  AppStore,
  CommandLock,
  EventHistory,
  OperationReads,
} from "../ports.ts";
import type { Gallery } from "./gallery/gallery.ts";
import type { MarketplacePolicy } from "./policy.ts";
import type { UnstartedSwitches } from "./switch/unstarted-switches.ts";

/** The dependencies that all use cases of the service share. */
export interface MarketplaceContext {
  readonly apps: AppRegistry;
  readonly store: AppStore;
  readonly approvals: ApprovalStore;
  readonly lock: CommandLock;
  readonly permissions: AppPermissions;
  readonly deployments: Deployments;
  readonly snapshots: AppSnapshots;
  readonly eventHistory: Pick<EventHistory, "newest">;
  /** The services that take part in the life of an app. They prepare it in this order and purge it in the reverse order. */
  readonly participants: readonly AppParticipant[];
  readonly settings: AppSettings;
  readonly documents: ApiDocuments;
  readonly descriptions: ApiDescriptions;
  /** The operations that callers watch. */
  readonly operationReads: OperationReads;
  readonly unstarted: UnstartedSwitches;
  /** Undefined on a platform that brings no apps. */
  readonly gallery?: Gallery | undefined;
  /** For apps that the platform itself registers. */
  readonly makeKey: KeyMaker;
  readonly policy: MarketplacePolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}
