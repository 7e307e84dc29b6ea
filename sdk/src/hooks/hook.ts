import type { HookEvent } from "@appserver/contracts/proto/appserver/v2/hooks";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { PlatformClient } from "../platform-client.ts";
import { toValue } from "../to-value.ts";

/** A hook as it reaches an app. It may come more than once: `id` is the same every time. */
export interface Hook {
  readonly id: string;
  readonly name: string;
  /** Absent for hooks of the platform. */
  readonly sourceApp: string | undefined;
  readonly data: unknown;
  readonly triggeredAt: Date;
  /** 1 for the first. */
  readonly attempt: number;
  readonly orderingKey: string | undefined;
  /** W3C Trace Context of what triggered it. */
  readonly traceparent: string | undefined;
}

/** Takes care of a hook. A rejection brings it again later, up to three times; {@link DropHook} ends it. */
export type HookHandler = (hook: Hook) => void | Promise<void>;

/** Thrown by a handler that never wants to see the hook again. */
export class DropHook extends Error {
  override readonly name = "DropHook";
}

export interface TriggerOptions {
  /** Hooks of the app with the same key arrive in order. */
  readonly orderingKey?: string;
}

export interface Triggered {
  readonly eventId: string;
  readonly subscribers: number;
}

/**
 * Triggers a hook of the app: `name` begins with the app's own. Resolves when the platform has it for every subscriber;
 * data is anything JSON can hold, up to 256 KiB.
 */
export async function triggerHook(
  client: Pick<PlatformClient, "hooks">,
  name: string,
  data: unknown = null,
  options: TriggerOptions = {},
): Promise<Triggered> {
  const { orderingKey } = options;
  const { eventId, subscribers } = await client.hooks.triggerHook({
    name,
    data: toValue(data),
    ...(orderingKey === undefined ? {} : { orderingKey }),
  });
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
