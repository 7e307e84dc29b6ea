import type { Clock, Component, Logger, Permissions } from "@appserver/kernel";
import type { AuditLog, Database } from "@appserver/kernel/ports";
import { SqlTargetStore } from "./adapters/targets/sql-target-store.ts";
import { targetResolvers } from "./api/targets-graphql.ts";
import { subscriberOf } from "./domain/targets/target.ts";
import type { DeliveryReads, DeliveryStore, EventSource, Mail, PushTransport, SecretSeal } from "./ports.ts";
import { type ConfiguredTargets, configureTargets } from "./use-cases/targets/configure-targets.ts";
import type { TargetsContext } from "./use-cases/targets/context.ts";
import type { Dispatcher } from "./workers/dispatcher.ts";
import { TargetChannel } from "./workers/targets/target-channel.ts";
import { TargetFollower } from "./workers/targets/target-follower.ts";
import { TargetRoutes } from "./workers/targets/target-routes.ts";

/** What notification targets need of the platform. */
export interface TargetsDeps {
  /** The published events. */
  readonly events: EventSource;
  /** Undefined: the platform sends no mail. */
  readonly mail: Mail | undefined;
  /** Encrypts the secrets of targets. */
  readonly seal: SecretSeal;
  /** The targets that the options define. */
  readonly configured: ConfiguredTargets;
  /** Pause between two looks at the published events. Only tests change it. */
  readonly lookMs?: number;
}

interface Parts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly permissions: Permissions;
  readonly deliveries: DeliveryStore;
  readonly deliveryReads: DeliveryReads;
  readonly dispatcher: Dispatcher;
  readonly transport: PushTransport;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Notification targets: receivers of system events outside of the platform (docs/interface/notifications.md). */
export interface Targets extends Component {
  readonly resolvers: ReturnType<typeof targetResolvers>;
  /** Reads the targets again. Call it after each change of one. */
  refreshSoon(): void;
}

export function createTargets(parts: Parts, { events, mail, seal, configured, lookMs = 2_000 }: TargetsDeps): Targets {
  const { database, audit, permissions, deliveries, deliveryReads, dispatcher, transport, timeoutMs, clock, logger } = parts;
  const forget = (subscriber: string): Promise<void> => deliveries.forget(subscriber);
  const targets = new SqlTargetStore({ database, audit, seal, forget, logger });
  const channel = { transport, mail, timeoutMs, clock };
  const routes = new TargetRoutes({ ...channel, targets, dispatcher, logger });
  const follower = new TargetFollower({ targets, events, enabled: () => routes.targets, lookMs, clock, logger });
  const context: TargetsContext = {
    targets,
    events,
    deliveries,
    deliveryReads,
    permissions,
    transport,
    sendsMail: mail !== undefined,
    send: (target, delivery) => new TargetChannel(target, channel).send(delivery),
    worksAgain: (target) => dispatcher.worksAgain(subscriberOf(target.id)),
    clock,
    logger,
  };
  return {
    name: "notification targets",
    resolvers: targetResolvers(context),
    refreshSoon: () => routes.refreshSoon(),
    start: async () => {
      await configureTargets(context, configured);
      routes.start();
      follower.start();
    },
    stop: async () => {
      await follower.stop();
      await routes.stop();
    },
  };
}
