import { ask, found } from "../client.ts";
import {
  CreateNotificationTargetDocument,
  DeleteNotificationTargetDocument,
  NotificationDeliveriesDocument,
  type NotificationTargetKind,
  NotificationTargetsDocument,
  ResendNotificationDeliveryDocument,
  type SystemEventType,
  type TargetFragment,
  TestNotificationTargetDocument,
  UpdateNotificationTargetDocument,
  type UpdateNotificationTargetMutationVariables,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { oneOf } from "../one-of.ts";
import { note, print, printJson, printValue } from "../output.ts";
import { takeFromPages } from "../pages.ts";
import { renderTable } from "../table.ts";
import { UsageError } from "../usage-error.ts";
import { deliveryStatuses } from "./hooks/delivery-output.ts";

export interface CreateTargetFlags {
  readonly webhook?: string;
  readonly slack?: string;
  readonly mail: readonly string[];
  readonly type: readonly string[];
}

export interface UpdateTargetFlags {
  readonly name?: string;
  readonly url?: string;
  readonly mail: readonly string[];
  readonly type: readonly string[];
  readonly enable?: boolean;
  readonly disable?: boolean;
}

export interface TargetDeliveriesFlags {
  readonly status?: string;
  readonly limit: number;
}

export async function listTargets(options: GlobalOptions): Promise<void> {
  const { notificationTargets } = await ask(options, NotificationTargetsDocument, {});
  if (options.json) return printJson(notificationTargets);
  const rows = notificationTargets.map((target) => [
    target.name,
    target.kind,
    target.address,
    target.types?.join("\n") ?? "*",
    stateOf(target),
    String(target.waiting),
    String(target.deadLetters),
  ]);
  const head = ["NAME", "KIND", "ADDRESS", "TYPES", "STATE", "WAITING", "DEAD"];
  print(rows.length === 0 ? "there are no notification targets" : renderTable(head, rows));
}

/** Creates a target. The secret of a webhook alone is on standard output. */
export async function createTarget(options: GlobalOptions, name: string, flags: CreateTargetFlags): Promise<void> {
  const variables = { name, ...placeOf(flags), types: typesOf(flags.type) };
  const { createNotificationTarget: created } = await ask(options, CreateNotificationTargetDocument, variables);
  if (options.json) return printJson(created);
  if (created.secret == null) return print(`${name} is created`);
  note(`secret of ${name}, with which its messages are signed: it is not shown again`);
  printValue(created.secret);
}

export async function updateTarget(options: GlobalOptions, name: string, flags: UpdateTargetFlags): Promise<void> {
  const { name: newName, url, mail, type, enable, disable } = flags;
  if (enable && disable) throw new UsageError("--enable and --disable exclude each other");
  if (newName === undefined && url === undefined && mail.length + type.length === 0 && !enable && !disable)
    throw new UsageError("expected --name, --url, --mail, --type, --enable or --disable");
  const { id } = await targetOf(options, name);
  const variables: UpdateNotificationTargetMutationVariables = {
    id,
    ...(newName !== undefined && { name: newName }),
    ...(url !== undefined && { url }),
    ...(mail.length > 0 && { addresses: mail }),
    ...(type.length > 0 && { types: typesOf(type) ?? null }),
    ...((enable || disable) && { isEnabled: enable === true }),
  };
  const { updateNotificationTarget } = await ask(options, UpdateNotificationTargetDocument, variables);
  if (options.json) printJson(updateNotificationTarget);
  else print(`${updateNotificationTarget.name} is ${stateOf(updateNotificationTarget)}`);
}

export async function deleteTarget(options: GlobalOptions, name: string): Promise<void> {
  const { id } = await targetOf(options, name);
  await ask(options, DeleteNotificationTargetDocument, { id });
  if (options.json) printJson({ id });
  else print(`${name} is deleted`);
}

/** Sends a test message. Fails if the receiver does not take it. */
export async function testTarget(options: GlobalOptions, name: string): Promise<void> {
  const { id } = await targetOf(options, name);
  const { testNotificationTarget: result } = await ask(options, TestNotificationTargetDocument, { id });
  if (options.json) printJson(result);
  else print(result.isDelivered ? `${name} took the message in ${result.durationMs} ms` : `not delivered: ${result.error}`);
  if (!result.isDelivered) process.exitCode = 1;
}

export async function listTargetDeliveries(
  options: GlobalOptions,
  name: string,
  { status, limit }: TargetDeliveriesFlags,
): Promise<void> {
  const { id: targetId } = await targetOf(options, name);
  const filter = { targetId, status: oneOf(deliveryStatuses, status, "--status") };
  const deliveries = await takeFromPages({ limit, pageSize: 45 }, async (page) => {
    return (await ask(options, NotificationDeliveriesDocument, { ...filter, ...page })).notificationDeliveries;
  });
  if (options.json) return printJson(deliveries);
  const rows = deliveries.map((delivery) => [
    delivery.id,
    delivery.type,
    delivery.status,
    String(delivery.attempt),
    delivery.nextAttemptAt ?? "-",
    delivery.error?.message ?? "-",
  ]);
  const head = ["ID", "TYPE", "STATUS", "ATTEMPT", "NEXT ATTEMPT", "ERROR"];
  print(rows.length === 0 ? "no deliveries match" : renderTable(head, rows));
}

export async function resendTargetDelivery(options: GlobalOptions, id: string): Promise<void> {
  const { resendNotificationDelivery } = await ask(options, ResendNotificationDeliveryDocument, { id });
  if (options.json) printJson(resendNotificationDelivery);
  else print(`delivery ${id} is ${resendNotificationDelivery.status}`);
}

async function targetOf(options: GlobalOptions, name: string): Promise<TargetFragment> {
  const { notificationTargets } = await ask(options, NotificationTargetsDocument, {});
  return found(
    notificationTargets.find((target) => target.name === name),
    `notification target ${name}`,
  );
}

function stateOf({ isEnabled, isConfigured }: TargetFragment): string {
  if (isConfigured) return "configured";
  return isEnabled ? "enabled" : "disabled";
}

interface Place {
  readonly kind: NotificationTargetKind;
  readonly url?: string;
  readonly addresses?: readonly string[];
}

function placeOf({ webhook, slack, mail }: CreateTargetFlags): Place {
  const places: readonly Place[] = [
    ...(webhook === undefined ? [] : [{ kind: "WEBHOOK", url: webhook } as const]),
    ...(slack === undefined ? [] : [{ kind: "SLACK", url: slack } as const]),
    ...(mail.length === 0 ? [] : [{ kind: "MAIL", addresses: mail } as const]),
  ];
  const [place] = places;
  if (!place || places.length > 1) throw new UsageError("expected one of --webhook, --slack and --mail");
  return place;
}

/** The platform refuses unknown types, and names those that it knows. `*` stands for every type. */
function typesOf(given: readonly string[]): SystemEventType[] | undefined {
  if (given.length === 0 || given.includes("*")) return undefined;
  return given.map((each) => each.toUpperCase() as SystemEventType);
}
