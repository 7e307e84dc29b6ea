import type { NewTarget } from "../../ports.ts";
import { newestPosition, type TargetsContext } from "./context.ts";

/** Receivers that the options of the platform define. */
export interface ConfiguredTargets {
  readonly mailTo: readonly string[] | undefined;
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
  readonly slackUrl: string | undefined;
}

/** They get messages to people only: when an incident begins and when it is over, and when a person asks for access. */
const types = ["INCIDENT_OPENED", "INCIDENT_CLOSED", "ACCESS_REQUESTED"];

/** Stores the targets of the options, under names that no caller can give. They get the events from their first start on. */
export async function configureTargets(
  context: Pick<TargetsContext, "targets" | "events">,
  { mailTo, webhook, slackUrl }: ConfiguredTargets,
): Promise<void> {
  const targets = [
    ...(mailTo && mailTo.length > 0 ? [configured("MAIL", mailTo.join(","), undefined)] : []),
    ...(webhook ? [configured("WEBHOOK", webhook.url, webhook.secret)] : []),
    ...(slackUrl === undefined ? [] : [configured("SLACK", new URL(slackUrl).origin, slackUrl)]),
  ];
  await context.targets.configure(targets, await newestPosition(context));
}

/** The same on every replica. */
const ids = {
  MAIL: "00000000-0000-8000-8000-6d61696c0000",
  WEBHOOK: "00000000-0000-8000-8000-686f6f6b0000",
  SLACK: "00000000-0000-8000-8000-736c61636b00",
} as const;

function configured(kind: NewTarget["kind"], address: string, secret: string | undefined): NewTarget {
  return {
    id: ids[kind],
    name: `configuration:${kind.toLowerCase()}`,
    kind,
    address,
    secret,
    types,
    isEnabled: true,
    isConfigured: true,
    createdBy: "operator",
  };
}
