import { AppError, auditEntry, type Call, type Caller, type Clock, earlierReceipt, recordKeyedWork } from "@appserver/kernel";
import { type AgentConsent, callerOf } from "../../domain/agent-consent.ts";
import type { AgentConsents, AuditLog, Database, IdentityProvider } from "../../ports.ts";
import { tokenKey } from "./sign-in-records.ts";

export interface AgentAccessContext {
  readonly consents: AgentConsents;
  readonly audit: Pick<AuditLog, "record">;
  readonly database: Pick<Database, "query" | "transaction">;
  readonly identity: Pick<IdentityProvider, "find">;
  readonly clock: Pick<Clock, "now">;
}

/** Consents of one person that have not ended. */
const maxConsents = 50;
const usedEveryMs = 60_000;
const dayMs = 86_400_000;
/** Texts of programs that have chosen them. */
const maxNameLength = 120;

interface GivenConsent extends Omit<AgentConsent, "createdAt" | "expiresAt" | "usedAt"> {
  readonly days: number;
}

/** Stores what a person gives to a program. Throws INVALID_STATE if the person has given too much. */
export async function giveConsent(
  { consents, audit, database, clock }: Omit<AgentAccessContext, "identity">,
  { days, ...consent }: GivenConsent,
  call: Pick<Call, "caller" | "traceparent">,
): Promise<void> {
  const now = clock.now();
  const given = {
    ...consent,
    clientName: consent.clientName.slice(0, maxNameLength),
    createdAt: new Date(now),
    expiresAt: new Date(now + days * dayMs),
  };
  await database.transaction(async (tx) => {
    await consents.lock(tx, consent.userId);
    if ((await consents.ofPerson(tx, consent.userId)).length >= maxConsents)
      throw new AppError("INVALID_STATE", `${maxConsents} programs may act for you already: take it from one of them first`);
    await consents.add(tx, given);
    await audit.record(
      tx,
      auditEntry(call, { action: "agent.consent", target: targetOf(consent.id), details: factsOf(given) }),
    );
  });
}

/** Returns the caller of an access token. Undefined if it is not one for this resource, or has ended. */
export async function authenticateAgent(
  { consents, database, clock }: Pick<AgentAccessContext, "consents" | "database" | "clock">,
  token: string,
  resource: string,
): Promise<Caller | undefined> {
  const consent = await consents.ofToken(database, { key: tokenKey(token), resource });
  if (!consent) return undefined;
  const now = clock.now();
  if (now - (consent.usedAt?.getTime() ?? 0) > usedEveryMs) await consents.used(database, consent.id, new Date(now));
  return callerOf(consent);
}

/** Returns whether a person can still sign in, and renames the person in what they have given. Throws SERVICE_UNAVAILABLE. */
export async function isActivePerson(
  { identity, consents, database }: Pick<AgentAccessContext, "identity" | "consents" | "database">,
  userId: string,
): Promise<boolean> {
  const [person] = await identity.find({ ids: [userId] });
  if (person === undefined || person.isActive === false) return false;
  await consents.rename(database, person);
  return true;
}

/** Ends a consent because of what its program has done with its tokens. */
export async function endConsent(
  { consents, audit, database }: Pick<AgentAccessContext, "consents" | "audit" | "database">,
  id: string,
  reason: "revoked by the program" | "token used twice",
): Promise<void> {
  await database.transaction(async (tx) => {
    const removed = await consents.remove(tx, id);
    if (!removed) return;
    const details = { ...factsOf(removed), person: `user:${removed.userId}`, reason };
    await audit.record(tx, auditEntry({ actor: undefined }, { action: "agent.revoke", target: targetOf(id), details }));
  });
}

/** Returns what programs may do for the caller, newest first. Throws AUTHENTICATION_REQUIRED. */
export async function readConsents(
  { consents, database }: Pick<AgentAccessContext, "consents" | "database">,
  call: Call,
): Promise<readonly AgentConsent[]> {
  const userId = personOf(call);
  return userId === undefined ? [] : await consents.ofPerson(database, userId);
}

/** Takes from a program what the caller has given to it. Throws AUTHENTICATION_REQUIRED, and NOT_FOUND also for what others have given. */
export async function revokeConsent(
  { consents, audit, database }: Pick<AgentAccessContext, "consents" | "audit" | "database">,
  id: string,
  call: Call,
): Promise<string> {
  const userId = personOf(call);
  if (earlierReceipt()) return id;
  await database.transaction(async (tx) => {
    await recordKeyedWork(tx, { consent: id });
    const removed = await consents.remove(tx, id);
    if (removed === undefined || removed.userId !== userId)
      throw new AppError("NOT_FOUND", `you have given nothing with the id ${JSON.stringify(id.slice(0, 64))}`);
    await audit.record(tx, auditEntry(call, { action: "agent.revoke", target: targetOf(id), details: factsOf(removed) }));
  });
  return id;
}

function targetOf(id: string): string {
  return `agent:${id}`;
}

function factsOf({ clientId, clientName, apps, isReadOnly, expiresAt }: AgentConsent): Record<string, unknown> {
  return {
    client: clientName,
    client_id: clientId,
    ...(apps && { apps }),
    read_only: isReadOnly,
    until: expiresAt.toISOString(),
  };
}

/** Only people give something. */
function personOf({ caller }: Call): string | undefined {
  if (caller.kind === "anonymous")
    throw new AppError("AUTHENTICATION_REQUIRED", "what you have given to agents needs a session");
  return caller.kind === "user" ? caller.id : undefined;
}
