import type { HookEvent } from "@appserver/contracts/proto/appserver/v2/hooks";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { PlatformClient } from "../platform-client.ts";
import { toValue } from "../to-value.ts";

/** A hook as delivered to an app. It may be delivered more than once, always with the same `id`. */
export interface Hook {
  readonly id: string;
  readonly name: string;
  /** Undefined for hooks of the platform. */
  readonly sourceApp: string | undefined;
  readonly data: unknown;
  readonly triggeredAt: Date;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly orderingKey: string | undefined;
  /** W3C Trace Context of the trigger. */
  readonly traceparent: string | undefined;
}

/** Handles a hook. After a rejection the hook is delivered again, up to three times. {@link DropHook} prevents that. */
export type HookHandler = (hook: Hook) => void | Promise<void>;

/** Thrown by a handler to prevent further deliveries of the hook. */
export class DropHook extends Error {
  override readonly name = "DropHook";
}

export interface TriggerOptions {
  /** Hooks of the app with the same key are delivered in order. */
  readonly orderingKey?: string;
  /** The trace of the trigger, where it is not the current one: for example that of the request that a queue has kept. */
  readonly traceparent?: string | undefined;
}

export interface Triggered {
  readonly eventId: string;
  readonly subscribers: number;
}

/**
 * Triggers a hook of the app. `name` starts with the app's name. Resolves when the platform has stored the hook for every
 * subscriber. `data` is any JSON value up to 256 KiB.
 */
export async function triggerHook(
  client: Pick<PlatformClient, "hooks">,
  name: string,
  data: unknown = null,
  options: TriggerOptions = {},
): Promise<Triggered> {
  const { orderingKey, traceparent } = options;
  const { eventId, subscribers } = await client.hooks.triggerHook(
    { name, data: toValue(data), ...(orderingKey === undefined ? {} : { orderingKey }) },
    traceparent === undefined ? {} : { headers: { traceparent } },
  );
  return { eventId, subscribers };
}

export function hookOf(event: HookEvent): Hook {
  return {
    id: event.id,
    name: event.hookName,
    sourceApp: event.sourceApp === "" ? undefined : event.sourceApp,
    data: event.data ? toJson(ValueSchema, event.data) : null,
    triggeredAt: event.triggeredAt ? timestampDate(event.triggeredAt) : new Date(0),
    attempt: event.attempt,
    orderingKey: event.orderingKey,
    traceparent: event.traceparent === "" ? undefined : event.traceparent,
  };
}
