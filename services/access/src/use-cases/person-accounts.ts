import {
  AppError,
  auditEntry,
  type Call,
  earlierReceipt,
  type Permissions,
  recordKeyedWork,
  requirePermission,
} from "@appserver/kernel";
import type { AccountState, Accounts, AuditLog, Transaction } from "../ports.ts";
import { type ChangeOrigin, type ManagerContext, requireManager } from "./change-access.ts";
import { type ForgetContext, forgetPerson, readPerson } from "./forget-person.ts";
import { type AdministratorsContext, requireOtherAdministrator } from "./last-administrator.ts";

/** What an operator needs to change accounts. */
export interface PersonContext extends ForgetContext, AdministratorsContext {
  readonly authorization: ForgetContext["authorization"];
  readonly audit: Pick<AuditLog, "record" | "read">;
  readonly database: ManagerContext["database"];
}

/** What callers need, in addition. */
export interface PersonCommandContext extends PersonContext, ManagerContext {
  readonly audit: PersonContext["audit"];
  readonly permissions: Permissions;
  /** Undefined: the identity provider makes its accounts itself. */
  readonly people: Accounts | undefined;
}

export interface PersonAccount extends AccountState {
  /** `user:<id>` */
  readonly id: string;
}

const prefix = "user:";
const maxAuditEntries = 10_000;

/** Returns the state of a person's account. Needs `access:view`. Undefined if there is none, or the platform makes no accounts. */
export async function readPersonAccount(
  { people, permissions }: PersonCommandContext,
  id: string,
  call: Call,
): Promise<PersonAccount | undefined> {
  await requirePermission(permissions, call, "access:view");
  const state = await people?.find(userIdOf(id));
  return state && { id, ...state };
}

/** Disables an account, which ends all its sessions, or enables it. Needs `access:manage`. Throws as {@link setActive}. */
export async function setPersonActive(
  context: PersonCommandContext,
  { id, isActive }: { readonly id: string; readonly isActive: boolean },
  call: Call,
): Promise<PersonAccount> {
  const [people, userId] = await admitCommand(context, isActive ? "person.enable" : "person.disable", id, call);
  await setActive(context, people, { userId, isActive }, call);
  const state = await people.find(userId);
  if (!state) throw new AppError("NOT_FOUND", `the account of ${id} was removed`);
  return { id, ...state };
}

/** Deletes an account and all that the person was given. Needs `access:manage`. Throws as {@link remove}. */
export async function removePerson(context: PersonCommandContext, id: string, call: Call): Promise<string> {
  const [people, userId] = await admitCommand(context, "person.remove", id, call);
  if (earlierReceipt()) return id;
  await remove(context, people, userId, call);
  return id;
}

/** Returns what is stored of a person, without secrets. Needs `access:manage`. Throws NOT_FOUND. */
export async function readPersonRecords(context: PersonCommandContext, id: string, call: Call): Promise<object> {
  const [people, userId] = await admitCommand(context, "person.export", id, call);
  return await exportRecords(context, people, userId, call);
}

/** Throws NOT_FOUND, and INVALID_STATE for the last administrator who can sign in, or for an account that was never completed. */
export async function setActive(
  context: PersonContext,
  people: Accounts,
  { userId, isActive }: { readonly userId: string; readonly isActive: boolean },
  origin: ChangeOrigin,
): Promise<void> {
  const admit = async (tx: Transaction): Promise<void> => {
    if (!isActive) await requireOtherAdministrator(context, tx, userId);
    await record(context, tx, isActive ? "person.enable" : "person.disable", userId, origin);
  };
  await people.setActive({ userId, isActive, admit });
}

/** Throws NOT_FOUND, and INVALID_STATE for the last administrator who can sign in. */
export async function remove(context: PersonContext, people: Accounts, userId: string, origin: ChangeOrigin): Promise<void> {
  const admit = async (tx: Transaction): Promise<void> => {
    await requireOtherAdministrator(context, tx, userId);
    await recordKeyedWork(tx, { person: userId });
    await record(context, tx, "person.remove", userId, origin);
    await forgetPerson(context, tx, userId, origin);
  };
  await people.remove({ userId, admit });
}

/** Returns the account, what the person was given, and what the audit log has of them. Throws NOT_FOUND. */
export async function exportRecords(
  context: PersonContext,
  people: Accounts,
  userId: string,
  origin: ChangeOrigin,
): Promise<object> {
  const account = await people.export(userId);
  const permissions = await context.database.transaction(async (tx) => {
    await record(context, tx, "person.export", userId, origin);
    return await readPerson(context, tx, userId);
  });
  const audit = await context.audit.read({ actor: `${prefix}${userId}`, limit: maxAuditEntries });
  return { ...account, ...permissions, audit };
}

async function admitCommand(
  context: PersonCommandContext,
  action: string,
  id: string,
  call: Call,
): Promise<readonly [Accounts, string]> {
  await requireManager(context, { action, target: id, details: {} }, call);
  const userId = userIdOf(id);
  const { people } = context;
  if (!people) throw new AppError("INVALID_STATE", "the identity provider makes its accounts itself: change the person there");
  return [people, userId];
}

function userIdOf(id: string): string {
  if (id.startsWith(prefix) && id.length > prefix.length) return id.slice(prefix.length);
  throw new AppError("NOT_FOUND", `there is no account ${JSON.stringify(id.slice(0, 64))}; expected ${prefix}<id>`);
}

function record(
  { audit }: PersonContext,
  tx: Transaction,
  action: string,
  userId: string,
  origin: ChangeOrigin,
): Promise<void> {
  return audit.record(tx, auditEntry(origin, { action, target: `${prefix}${userId}`, details: {} }));
}
