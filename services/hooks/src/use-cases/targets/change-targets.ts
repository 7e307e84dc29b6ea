import { webhookSecret } from "@appserver/contracts/webhooks";
import { AppError, actorOf, type Call, earlierReceipt, invalidField, userAuditEntry, uuidv7 } from "@appserver/kernel";
import type { NotificationTarget, TargetKind } from "../../domain/targets/target.ts";
import { maxTargets, newestPosition, readTarget, requireTargetPermission, type TargetsContext } from "./context.ts";
import { checkedAddress } from "./target-address.ts";

export interface CreateTargetCommand {
  readonly name: string;
  readonly kind: TargetKind;
  readonly url?: string | undefined;
  readonly addresses?: readonly string[] | undefined;
  /** Undefined: every type. */
  readonly types?: readonly string[] | undefined;
}

export interface CreatedTarget {
  readonly target: NotificationTarget;
  /** Undefined for a target without signatures, and in the response to a repeated request. */
  readonly secret: string | undefined;
}

const validName = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
const secretBytes = 32;

/**
 * Creates a target that gets the events from now on. Throws INVALID_REQUEST, CONFLICT for a name that is taken, and INVALID_STATE for too
 * many targets.
 */
export async function createTarget(context: TargetsContext, command: CreateTargetCommand, call: Call): Promise<CreatedTarget> {
  await requireTargetPermission(context, call);
  const earlier = earlierReceipt()?.["targetId"];
  if (earlier !== undefined) return { target: await readTarget(context, String(earlier)), secret: undefined };
  const { name, kind, types } = command;
  checkName(name);
  const { url, addresses } = command;
  const place = placeOf(kind, checkedAddress(context, { kind, url, addresses }));
  const secret = kind === "WEBHOOK" ? webhookSecret(crypto.getRandomValues(new Uint8Array(secretBytes))) : undefined;
  const target = {
    id: uuidv7(),
    name,
    kind,
    address: place.address,
    secret: place.secret ?? secret,
    types: checkedTypes(types),
    isEnabled: true,
    isConfigured: false,
    createdBy: actorOf(call.caller),
  };
  await context.targets.add(target, await newestPosition(context), maxTargets, audited(call, "create", target));
  return { target: await readTarget(context, target.id), secret };
}

export interface UpdateTargetCommand {
  readonly id: string;
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly addresses?: readonly string[] | undefined;
  /** Undefined: as they are. Null: every type. */
  readonly types?: readonly string[] | null | undefined;
  readonly isEnabled?: boolean | undefined;
}

/**
 * Changes what is given of a target, and enables or disables it. Its kind and the secret of its signatures stay. What waits is sent to a new
 * address at once. Throws INVALID_REQUEST, NOT_FOUND, CONFLICT for a name that is taken, and INVALID_STATE for a target of the options.
 */
export async function updateTarget(
  context: TargetsContext,
  { id, name, url, addresses, types, isEnabled }: UpdateTargetCommand,
  call: Call,
): Promise<NotificationTarget> {
  await requireTargetPermission(context, call);
  const target = await readTarget(context, id);
  if (earlierReceipt()) return target;
  requireEditable(target);
  if (name !== undefined) checkName(name);
  const { kind } = target;
  const isMoved = url !== undefined || addresses !== undefined;
  const change = {
    name,
    ...(isMoved ? placeOf(kind, checkedAddress(context, { kind, url, addresses })) : {}),
    types: types === undefined ? undefined : (checkedTypes(types ?? undefined) ?? null),
    isEnabled,
    after: await newestPosition(context),
  };
  const given = Object.entries({ name, url, addresses, types, isEnabled });
  const changed = given.flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const entry = audited(call, "update", { id, kind, name: name ?? target.name }, { changed });
  if (!(await context.targets.change(id, change, entry))) throw changedMeanwhile(target);
  return await readTarget(context, id);
}

/** Deletes a target with its deliveries. Returns its id. Throws NOT_FOUND, and INVALID_STATE for a target of the options. */
export async function deleteTarget(context: TargetsContext, id: string, call: Call): Promise<string> {
  await requireTargetPermission(context, call);
  if (earlierReceipt()) return id;
  const target = await readTarget(context, id);
  requireEditable(target);
  if (!(await context.targets.remove(id, audited(call, "delete", target)))) throw changedMeanwhile(target);
  return id;
}

function checkName(name: string): void {
  if (!validName.test(name))
    throw invalidField("name", "must be 1 to 63 of a-z, 0-9, '.', '_' and '-', with a letter or digit at both ends");
}

/** Returns what is stored of a checked address. */
function placeOf(kind: TargetKind, given: string): { readonly address: string; readonly secret?: string } {
  return kind === "SLACK" ? { address: new URL(given).origin, secret: given } : { address: given };
}

/** No types would be a target that gets nothing. */
function checkedTypes(types: readonly string[] | undefined): readonly string[] | undefined {
  if (types === undefined) return undefined;
  if (types.length === 0) throw invalidField("types", "must not be empty; without it the target gets every type");
  return [...new Set(types)];
}

function requireEditable({ isConfigured, name }: NotificationTarget): void {
  if (!isConfigured) return;
  const message = `the options of the platform define ${name} (section notifications); change it there`;
  throw new AppError("INVALID_STATE", message, { details: { name } });
}

function changedMeanwhile({ name }: NotificationTarget): AppError {
  return new AppError("NOT_FOUND", `the notification target ${name} was deleted`, { details: { name } });
}

function audited(
  call: Call,
  verb: "create" | "update" | "delete",
  { id, name, kind }: Pick<NotificationTarget, "id" | "name" | "kind">,
  more: Readonly<Record<string, unknown>> = {},
) {
  return userAuditEntry(call, {
    action: `notification_target.${verb}`,
    target: `notification-target:${id}`,
    details: { name, kind, ...more },
  });
}
