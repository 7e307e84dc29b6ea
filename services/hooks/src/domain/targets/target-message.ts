import type { SignedPost } from "@appserver/contracts/webhooks";
import { type EventWebhookBody, webhookHeaders, webhookKey, webhookSignature } from "@appserver/contracts/webhooks";
import type { ClaimedDelivery } from "../delivery.ts";
import { typeOf } from "./target.ts";

/** The data of an event for targets. */
type EventData = EventWebhookBody["data"];

/** A system event, as the history has it. */
export interface TargetEvent {
  /** UUIDv7. */
  readonly id: string;
  /** As people see it: `APP_INSTALLED`. */
  readonly type: string;
  readonly severity: EventData["severity"];
  readonly message: string;
  readonly data: unknown;
  readonly appName: string | undefined;
  readonly at: Date;
  readonly actor: string | undefined;
  readonly traceId: string | undefined;
}

/** A mail to the addresses of a target. */
export interface TargetMail {
  readonly to: readonly { readonly address: string }[];
  readonly subject: string;
  readonly text: string;
  readonly id: string;
}

/** Returns the data that is stored of a system event, as JSON. */
export function eventDataOf({ severity, message, appName, actor, traceId, data }: TargetEvent): string {
  const stored: EventData = {
    severity,
    message,
    appName: appName ?? null,
    actor: actor ?? null,
    traceId: traceId ?? null,
    details: data,
  };
  return JSON.stringify(stored);
}

/** Builds a signed POST of Standard Webhooks. `now` is epoch ms. */
export function webhookRequest(delivery: ClaimedDelivery, secret: string, now: number): SignedPost {
  const { event } = delivery;
  const body: EventWebhookBody = {
    type: typeOf(event.hookName),
    timestamp: event.triggeredAt.toISOString(),
    data: readData(delivery),
    id: event.id,
    attempt: delivery.attempt,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const timestamp = String(Math.floor(now / 1000));
  return {
    body: bytes,
    headers: {
      ...postHeaders,
      [webhookHeaders.id]: event.id,
      [webhookHeaders.timestamp]: timestamp,
      [webhookHeaders.signature]: webhookSignature(webhookKey(secret), event.id, timestamp, bytes),
    },
  };
}

/** Builds the POST of a message to an incoming webhook of Slack. */
export function slackRequest(delivery: ClaimedDelivery): SignedPost {
  const { severity, message } = readData(delivery);
  const text = `${severityMarks[severity]}${escapeSlack(message)}`;
  return { body: new TextEncoder().encode(JSON.stringify({ text })), headers: postHeaders };
}

/** Builds a mail. Every attempt has the same id. */
export function mailOf(delivery: ClaimedDelivery, subscriber: string, addresses: string): TargetMail {
  const { event } = delivery;
  const { message, severity, appName, actor } = readData(delivery);
  const facts = [
    ["Type", typeOf(event.hookName)],
    ["Severity", severity],
    ["App", appName],
    ["Actor", actor],
    ["Time", event.triggeredAt.toISOString()],
    ["Event", event.id],
  ].flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  return {
    to: addresses.split(",").map((address) => ({ address })),
    subject: subjectOf(message),
    text: `${message}\n\n${facts.join("\n")}\n`,
    id: `${event.id}.${subscriber.replace(/^target:/, "")}`,
  };
}

const postHeaders = { "content-type": "application/json", "user-agent": "appserver-notifications" } as const;
const severityMarks: Readonly<Record<EventData["severity"], string>> = { INFO: "", WARNING: "*Warning:* ", ERROR: "*Error:* " };
const maxSubject = 150;

function readData({ event }: ClaimedDelivery): EventData {
  return JSON.parse(event.data) as EventData;
}

function subjectOf(message: string): string {
  const line = message.replaceAll(/\s+/g, " ");
  return line.length > maxSubject ? `${line.slice(0, maxSubject)}…` : line;
}

/** The three characters that Slack reads as markup (https://docs.slack.dev/messaging/formatting-message-text). */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
