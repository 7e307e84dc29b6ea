import {
  AckResult,
  type HookEvent,
  HookEventSchema,
  type SubscribeRequest,
  SubscribeResponseSchema,
  type TriggerHookRequest,
} from "@appserver/contracts/proto/appserver/v2/hooks";
import { AppError, type Call, invalidField, isAppError } from "@appserver/kernel";
import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { timestampFromDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { HookStream, HookStreams, HookTrigger } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { observeHooks } from "../use-cases/observe-hooks.ts";
import { openStream } from "../use-cases/open-stream.ts";
import { readPushSecret } from "../use-cases/read-push-secret.ts";
import { triggerHook } from "../use-cases/trigger-hook.ts";

const acknowledgements = {
  [AckResult.SUCCESS]: "SUCCESS",
  [AckResult.RETRY]: "RETRY",
  [AckResult.DROP]: "DROP",
} as const;

/** The methods of `appserver.v2.HooksService`. They only translate. */
export function hooksGrpc(context: HooksContext & { readonly streams: HookStreams }) {
  return {
    triggerHook: async (request: TriggerHookRequest, call: Call) => {
      const { eventId, deliveries } = await triggerHook(
        context,
        { name: request.name, data: request.data ? jsonOf(request.data) : null, orderingKey: request.orderingKey },
        call,
      );
      return { eventId, subscribers: deliveries.length };
    },
    subscribe: async function* (requests: AsyncIterable<SubscribeRequest>, call: Call) {
      const messages = requests[Symbol.asyncIterator]();
      const start = await readStart(messages);
      if (call.caller.kind !== "app") {
        // A caller that is not an app has no deliveries: it only watches.
        for await (const item of await observeHooks(context, start.hookNames, call))
          yield create(SubscribeResponseSchema, { event: triggerMessage(item) });
        return;
      }
      const stream = await openStream(context, { hookNames: start.hookNames, maxInFlight: start.maxInFlight }, call);
      const close = (): void => void stream.close();
      call.signal.addEventListener("abort", close, { once: true });
      const reading: Reading = { mistake: undefined };
      void readAcknowledgements(messages, stream, reading);
      try {
        for await (const delivery of stream.deliveries)
          yield create(SubscribeResponseSchema, { event: eventMessage(delivery) });
      } finally {
        await stream.close();
      }
      if (reading.mistake) throw reading.mistake;
    },
    getPushSecret: async (_: object, call: Call) => ({ secret: readPushSecret(context, call) }),
  };
}

async function readStart(messages: AsyncIterator<SubscribeRequest>) {
  const first = await messages.next();
  if (!first.done && first.value.message.case === "start") return first.value.message.value;
  throw invalidField("message", "start is required as the first");
}

/** The client's mistake that ends its stream, if any. */
interface Reading {
  mistake: AppError | undefined;
}

/** Reads acknowledgements until the client stops sending; then the stream ends. Never rejects. */
async function readAcknowledgements(
  messages: AsyncIterator<SubscribeRequest>,
  stream: HookStream,
  reading: Reading,
): Promise<void> {
  try {
    for (let next = await messages.next(); !next.done; next = await messages.next()) acknowledge(next.value, stream);
  } catch (error) {
    // Any other error means that the client disconnected.
    if (isAppError(error)) reading.mistake = error;
  } finally {
    await stream.close();
  }
}

function acknowledge({ message }: SubscribeRequest, stream: HookStream): void {
  if (message.case !== "ack") throw invalidField("message", "must be an ack after the first");
  const result = (acknowledgements as Readonly<Record<number, "SUCCESS" | "RETRY" | "DROP">>)[message.value.result];
  if (!result) throw invalidField("ack.result", "must be SUCCESS, RETRY or DROP");
  stream.acknowledge(message.value.eventId, result);
}

/** Converts to the JSON value that it represents; protobuf has values that JSON does not have. */
function jsonOf(value: Value): unknown {
  try {
    return toJson(ValueSchema, value);
  } catch (error) {
    throw new AppError("INVALID_REQUEST", "data is not JSON", {
      violations: [{ field: "data", message: "must be a value that JSON has" }],
      cause: error,
    });
  }
}

function toValue(json: unknown): Value {
  return fromJson(ValueSchema, json as JsonValue);
}

function eventMessage({ event, attempt }: ClaimedDelivery): HookEvent {
  return create(HookEventSchema, {
    id: event.id,
    hookName: event.hookName,
    sourceApp: event.sourceApp ?? "",
    data: toValue(JSON.parse(event.data)),
    triggeredAt: timestampFromDate(event.triggeredAt),
    attempt,
    ...(event.orderingKey === undefined ? {} : { orderingKey: event.orderingKey }),
    traceparent: event.traceparent ?? "",
  });
}

function triggerMessage(item: HookTrigger): HookEvent {
  return create(HookEventSchema, {
    id: item.id,
    hookName: item.hookName,
    sourceApp: item.sourceApp ?? "",
    data: toValue(item.data ?? null),
    triggeredAt: timestampFromDate(new Date(item.triggeredAt)),
    traceparent: item.traceparent ?? "",
  });
}
