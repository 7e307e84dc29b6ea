import {
  AppError,
  type Call,
  type Clock,
  isUuid,
  type Logger,
  type Permissions,
  requirePermission,
  uuidv7,
} from "@appserver/kernel";
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { AttemptResult } from "../../domain/retry-policy.ts";
import type { NotificationTarget, ReachableTarget } from "../../domain/targets/target.ts";
import type { DeliveryReads, DeliveryStore, EventSource, PushTransport, TargetStore } from "../../ports.ts";

/** The permission of every operation on notification targets. */
export const targetPermission = "notification:manage";

/** Maximum number of targets. */
export const maxTargets = 100;

/** Dependencies of the use cases about notification targets. */
export interface TargetsContext {
  readonly targets: TargetStore;
  readonly events: EventSource;
  readonly deliveries: Pick<DeliveryStore, "resend">;
  readonly deliveryReads: DeliveryReads;
  readonly permissions: Permissions;
  readonly transport: Pick<PushTransport, "allowsAddress">;
  /** Whether the platform can send mail. */
  readonly sendsMail: boolean;
  /** Sends one delivery to a target at once. Never rejects. */
  readonly send: (target: ReachableTarget, delivery: ClaimedDelivery) => Promise<AttemptResult>;
  /** Sends the deliveries to a target that wait for a retry, because it works. */
  readonly worksAgain: (target: NotificationTarget) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function requireTargetPermission({ permissions }: TargetsContext, call: Call): Promise<void> {
  return requirePermission(permissions, call, targetPermission);
}

/** Returns the target. Throws NOT_FOUND. */
export async function readTarget({ targets }: TargetsContext, id: string): Promise<NotificationTarget> {
  const target = isUuid(id) ? await targets.find(id) : undefined;
  if (!target) throw unknownTarget(id);
  return target;
}

export function unknownTarget(id: string): AppError {
  const message = `there is no notification target with the id ${JSON.stringify(id.slice(0, 64))}`;
  return new AppError("NOT_FOUND", message, { details: { id: id.slice(0, 64) } });
}

/** Returns the position from which a target gets only what is published from now on. */
export async function newestPosition({ events }: Pick<TargetsContext, "events">): Promise<string> {
  const [newest] = await events.newest({}, undefined, 1);
  return newest?.id ?? uuidv7();
}
