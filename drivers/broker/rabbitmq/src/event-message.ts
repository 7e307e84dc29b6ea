import { createHash } from "node:crypto";
import type { DeadLetter, EventEnvelope } from "@appserver/kernel/ports";
import type { Envelope, HeaderFields } from "rabbitmq-client";

/** The parts of a received message from which its event is read. */
export interface ReceivedMessage extends HeaderFields {
  readonly body: unknown;
  readonly routingKey: string;
  readonly redelivered?: boolean;
}

export interface OutgoingMessage {
  readonly properties: Envelope;
  readonly body: Buffer;
}

/** A message whose body is not a JSON object. Redelivery cannot help. */
export class UnreadableMessage extends Error {
  override readonly name = "UnreadableMessage";
}

const ownHeaders = {
  /** Number of times that handlers have rejected the event. */
  rejections: "x-appserver-rejections",
  deadQueue: "x-appserver-dead-queue",
  deadAt: "x-appserver-dead-at",
  attempts: "x-appserver-attempts",
  error: "x-appserver-error",
} as const;

/** Returns the message of an event: plain JSON body, attributes in headers (docs/interface/events.md#envelope). */
export function toMessage(event: EventEnvelope, rejections = 0): OutgoingMessage {
  const headers: Record<string, string | number> = { "cloudEvents:specversion": "1.0" };
  for (const [attribute, value] of attributesOf(event)) {
    // CloudEvents integers have 32 bits; a sequence can be larger.
    if (value !== undefined) headers[`cloudEvents:${attribute}`] = String(value);
  }
  if (rejections > 0) headers[ownHeaders.rejections] = rejections;
  return {
    properties: {
      contentType: "application/json",
      durable: true,
      headers,
      ...optional("messageId", asShortString(event.id)),
      ...optional("type", asShortString(event.type)),
    },
    body: Buffer.from(JSON.stringify(event.body)),
  };
}

/**
 * Returns the text if it fits an AMQP property (255 bytes); headers have no such limit. An id of another publisher may be
 * longer, and with it as property the message could never be sent.
 */
function asShortString(text: string): string | undefined {
  return Buffer.byteLength(text) <= 255 ? text : undefined;
}

function attributesOf(event: EventEnvelope): [attribute: string, value: string | number | undefined][] {
  return [
    ["id", event.id],
    ["source", event.source],
    ["type", event.type],
    ["subject", event.subject],
    ["time", event.time],
    ["sequence", event.sequence],
    ["traceparent", event.traceparent],
    ["correlationid", event.correlationId],
    ["causationid", event.causationId],
    ["actor", event.actor],
  ];
}

/**
 * Returns the event of a message of the platform or of another publisher. A message without CloudEvents headers gets its
 * subject from the body's app name, its type from the routing key, and the same id at every delivery
 * (docs/interface/events.md#envelope).
 *
 * @throws UnreadableMessage
 */
export function toEvent(message: ReceivedMessage): EventEnvelope {
  const body = bodyOf(message);
  const appName = body["AppName"] ?? body["app_name"];
  const sequence = Number(attribute(message, "sequence"));
  const event: EventEnvelope = {
    id: attribute(message, "id") ?? message.messageId ?? derivedId(message),
    type: attribute(message, "type") ?? message.routingKey,
    source: attribute(message, "source") ?? `/amqp/${encodeURIComponent(message.appId ?? "unknown")}`,
    subject: attribute(message, "subject") ?? (typeof appName === "string" ? appName : ""),
    time: attribute(message, "time") ?? timeOf(message, body),
    body,
  };
  return {
    ...event,
    ...(Number.isSafeInteger(sequence) && { sequence }),
    ...optional("traceparent", attribute(message, "traceparent")),
    ...optional("correlationId", attribute(message, "correlationid")),
    ...optional("causationId", attribute(message, "causationid")),
    ...optional("actor", attribute(message, "actor")),
  };
}

/**
 * Returns the failed deliveries of this copy and earlier copies: rejections, counted in our header, and returns from consumers
 * that died, which only quorum queues count.
 */
export function failuresOf(message: ReceivedMessage): { rejections: number; returns: number } {
  const rejections = Number(message.headers?.[ownHeaders.rejections] ?? 0);
  const counted = message.headers?.["x-delivery-count"];
  return { rejections, returns: counted === undefined ? Number(message.redelivered ?? false) : Number(counted) };
}

export interface Burial {
  readonly queue: string;
  readonly attempts: number;
  readonly error: string;
  readonly at: Date;
}

/** Returns the message for the dead-letter queue: the original, and the reason for its failure. */
export function toDeadLetterMessage(original: OutgoingMessage, { queue, attempts, error, at }: Burial): OutgoingMessage {
  const headers = {
    ...original.properties.headers,
    [ownHeaders.deadQueue]: queue,
    [ownHeaders.deadAt]: at.toISOString(),
    [ownHeaders.attempts]: attempts,
    [ownHeaders.error]: error.slice(0, 4_000),
  };
  return { ...original, properties: { ...original.properties, headers } };
}

/** Returns an unreadable message unchanged, without headers that only the broker writes or that have no plain value. */
export function asReceived(message: ReceivedMessage): OutgoingMessage {
  const { contentType, contentEncoding, messageId, type, appId } = message;
  const headers = Object.entries(message.headers ?? {}).filter(([, value]) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return {
    properties: {
      durable: true,
      headers: Object.fromEntries(headers),
      ...optional("contentType", contentType),
      ...optional("contentEncoding", contentEncoding),
      ...optional("messageId", messageId),
      ...optional("type", type),
      ...optional("appId", appId),
    },
    body: bytesOf(message),
  };
}

export function toDeadLetter(queue: string, message: ReceivedMessage): DeadLetter {
  const headers = message.headers ?? {};
  // For messages that the broker itself moved, because of a limit in an operator's policy, only the broker's record exists.
  const death = headers["x-death"]?.[0];
  const at = headers[ownHeaders.deadAt] ?? (death?.time === undefined ? 0 : Number(death.time) * 1_000);
  return {
    event: eventOrText(message),
    queue,
    attempts: Number(headers[ownHeaders.attempts] ?? failuresOf(message).rejections),
    error: String(headers[ownHeaders.error] ?? `moved by the broker: ${death?.reason ?? "unknown reason"}`),
    at: new Date(at),
  };
}

function eventOrText(message: ReceivedMessage): EventEnvelope {
  try {
    return toEvent(message);
  } catch {
    return toEvent({ ...message, body: { unreadable: bytesOf(message).toString("utf8", 0, 1_000) } });
  }
}

function bodyOf(message: ReceivedMessage): Readonly<Record<string, unknown>> {
  let body = message.body;
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    try {
      body = JSON.parse(body.toString());
    } catch (error) {
      throw new UnreadableMessage("the message's body is not JSON", { cause: error });
    }
  }
  if (typeof body !== "object" || body === null || Array.isArray(body) || Buffer.isBuffer(body)) {
    throw new UnreadableMessage("the message's body is not a JSON object");
  }
  return body as Readonly<Record<string, unknown>>;
}

function bytesOf({ body }: ReceivedMessage): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? null));
}

/**
 * Reads an attribute under either prefix of the CloudEvents AMQP binding; the second is for clients that cannot write the
 * first.
 */
function attribute(message: ReceivedMessage, name: string): string | undefined {
  const value = message.headers?.[`cloudEvents:${name}`] ?? message.headers?.[`cloudEvents_${name}`];
  return value === undefined || value === null ? undefined : String(value);
}

function timeOf(message: ReceivedMessage, body: Readonly<Record<string, unknown>>): string {
  const given = typeof body["timestamp"] === "string" ? Date.parse(body["timestamp"]) : Number.NaN;
  return new Date(Number.isNaN(given) ? (message.timestamp ?? 0) * 1_000 : given).toISOString();
}

/** Derives a UUID of version 8 (RFC 9562 §5.8) from the message, so that consumers recognize a redelivery. */
function derivedId(message: ReceivedMessage): string {
  const hash = createHash("sha256")
    .update(`${message.routingKey}\n${message.timestamp ?? ""}\n`)
    .update(bytesOf(message));
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
