import { type Call, isUuid, uuidv7 } from "@appserver/kernel";
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { type ReachableTarget, storedTypeOf, subscriberOf } from "../../domain/targets/target.ts";
import { eventDataOf } from "../../domain/targets/target-message.ts";
import { requireTargetPermission, type TargetsContext, unknownTarget } from "./context.ts";

/** What became of a test message. */
export interface TestResult {
  readonly isDelivered: boolean;
  /** Why the receiver does not have it. */
  readonly error: string | undefined;
  readonly durationMs: number;
}

/**
 * Sends one message to a target, enabled or not, and waits for the response. Nothing is stored or retried. If it arrives, the deliveries that
 * wait for a retry are sent. Throws NOT_FOUND.
 */
export async function testTarget(context: TargetsContext, id: string, call: Call): Promise<TestResult> {
  await requireTargetPermission(context, call);
  const target = isUuid(id) ? await context.targets.findReachable(id) : undefined;
  if (!target) throw unknownTarget(id);
  const { clock } = context;
  const started = clock.monotonic();
  const result = await context.send(target, testDelivery(target, new Date(clock.now())));
  const isDelivered = result.outcome === "SUCCESS";
  if (isDelivered) context.worksAgain(target);
  return {
    isDelivered,
    error: "error" in result ? result.error : undefined,
    durationMs: Math.round(clock.monotonic() - started),
  };
}

function testDelivery({ id, name }: ReachableTarget, at: Date): ClaimedDelivery {
  const message = `This is a test message for the notification target ${name}`;
  const event = { id: uuidv7(), type: "TEST", severity: "INFO", message, data: {}, at } as const;
  return {
    id: "0",
    appName: subscriberOf(id),
    orderingGroup: undefined,
    attempt: 1,
    failures: 0,
    disconnects: 0,
    waitLeftMs: 0,
    event: {
      id: event.id,
      hookName: storedTypeOf(event.type),
      sourceApp: undefined,
      data: eventDataOf({ ...event, appName: undefined, actor: undefined, traceId: undefined }),
      orderingKey: undefined,
      triggeredAt: at,
      triggeredBy: "system",
      traceparent: undefined,
    },
  };
}
