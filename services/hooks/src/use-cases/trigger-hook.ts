import { metricCatalogue } from "@appserver/contracts/metrics";
import { isPlatformHook } from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import {
  AppError,
  actorOf,
  type Call,
  earlierReceipt,
  invalidField,
  requirePermission,
  userAuditEntry,
  uuidv7,
} from "@appserver/kernel";
import { checkHookName } from "../domain/hook-name.ts";
import type { EventSubject, StoredDelivery } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { platformSubject } from "./event-subject.ts";
import { ownerOf } from "./hook-owner.ts";

export interface TriggerCommand {
  readonly name: string;
  /** Any JSON value. */
  readonly data: unknown;
  /** Each subscriber receives the app's events with the same key in order. */
  readonly orderingKey?: string | undefined;
}

export interface TriggeredHook {
  readonly eventId: string;
  readonly hookName: string;
  readonly deliveries: readonly StoredDelivery[];
}

/** Maximum size of the data, in bytes of JSON (docs/interface/hooks.md#trigger). */
export const maxDataBytes = 256 * 1024;
const maxKeyLength = 255;

/**
 * Accepts an event for every subscriber of the hook. When this resolves, the event and its deliveries are stored. An app
 * triggers its own hooks; a user with `hook:trigger` triggers any.
 *
 * Throws INVALID_REQUEST for an invalid name, key or data, AUTHENTICATION_REQUIRED, PERMISSION_DENIED, and RATE_LIMIT_EXCEEDED
 * while too many deliveries of the app's hooks wait.
 */
export async function triggerHook(context: HooksContext, command: TriggerCommand, call: Call): Promise<TriggeredHook> {
  const { name, orderingKey } = command;
  const { caller, traceparent } = call;
  checkHookName(name, "name");
  checkOrderingKey(orderingKey);
  const data = toJson(command.data);
  const owner = await ownerOf(context, name);
  await authorize(context, call, name, owner);
  const earlier = earlierReceipt()?.["eventId"];
  if (earlier !== undefined)
    return { eventId: String(earlier), hookName: name, deliveries: await context.deliveryReads.ofEvent(String(earlier)) };
  if (!owner && !isPlatformHook(name))
    throw invalidField("name", `must begin with the name of an installed app, or with "app.", got ${quote(name)}`);
  if (owner) await context.quota.checkQuota(owner.name);
  const eventId = uuidv7();
  const deliveries = await context.deliveries.trigger({
    id: eventId,
    hookName: name,
    sourceApp: owner?.name,
    data,
    orderingKey,
    triggeredAt: new Date(context.clock.now()),
    triggeredBy: actorOf(caller),
    traceparent,
    subject: owner ?? platformSubject,
    audit: userAuditEntry(call, { action: "hook.trigger", target: `hook:${name}`, details: { eventId } }),
  });
  if (owner) context.quota.added(owner.name, deliveries.length);
  countTrigger(context, owner?.name);
  return { eventId, hookName: name, deliveries };
}

/** Counts an accepted trigger. `sourceApp` is undefined if the hook is the platform's. */
export function countTrigger({ metrics }: Pick<HooksContext, "metrics">, sourceApp: string | undefined): void {
  metrics
    .counter(metricCatalogue.hookTriggers)
    .bind({ app: sourceApp ?? "none" })
    .add();
}

async function authorize(context: HooksContext, call: Call, hookName: string, owner: EventSubject | undefined): Promise<void> {
  const { caller } = call;
  if (caller.kind !== "app") return requirePermission(context.permissions, call, "hook:trigger");
  if (owner?.name === caller.name) return;
  const message = `${actorOf(caller)} may trigger only hooks that begin with ${caller.name}., got ${hookName}`;
  throw new AppError("PERMISSION_DENIED", message, { details: { permission: "hook:trigger" } });
}

function checkOrderingKey(key: string | undefined): void {
  // Control characters are refused: PostgreSQL's text cannot store U+0000.
  if (key === undefined || (key.length > 0 && key.length <= maxKeyLength && !/\p{Cc}/u.test(key))) return;
  throw invalidField("ordering_key", `must have 1 to ${maxKeyLength} characters and no control characters`);
}

function toJson(data: unknown): string {
  const json = JSON.stringify(data ?? null);
  const bytes = Buffer.byteLength(json);
  if (bytes <= maxDataBytes) return json;
  throw invalidField("data", `must have at most ${maxDataBytes} bytes as JSON, got ${bytes}`);
}
