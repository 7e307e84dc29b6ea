import type { Tuple } from "@appserver/contracts/authorization";
import type { AgentConsent } from "../domain/agent-consent.ts";
import type {
  AccessRequest,
  AccessRequests,
  AgentConsents,
  AppMessage,
  AppMessages,
  Authorization,
  GroupReading,
  GroupReadings,
  Transaction,
} from "../ports.ts";
import { type ChangeOrigin, type WriteContext, writeTuplesIn } from "./change-access.ts";

export interface ForgetContext extends Omit<WriteContext, "database"> {
  readonly authorization: Pick<Authorization, "read" | "write">;
  readonly readings: GroupReadings;
  readonly requests: Pick<AccessRequests, "ofPerson" | "forgetPerson">;
  readonly messages: Pick<AppMessages, "ofPerson" | "forgetPerson">;
  readonly consents: Pick<AgentConsents, "ofPerson" | "forgetPerson">;
}

type PersonRecords = Pick<ForgetContext, "authorization" | "readings" | "requests" | "messages" | "consents">;

/** What the platform knows of the access of a person. */
export interface PersonAccess {
  readonly tuples: readonly Tuple[];
  readonly groups: readonly GroupReading[];
  readonly requests: readonly AccessRequest[];
  readonly messages: readonly AppMessage[];
  readonly agents: readonly AgentConsent[];
}

export async function readPerson(
  { authorization, readings, requests, messages, consents }: PersonRecords,
  tx: Transaction,
  userId: string,
): Promise<PersonAccess> {
  return {
    tuples: await authorization.read({ user: `user:${userId}` }),
    groups: await readings.of(tx, [userId]),
    requests: await requests.ofPerson(tx, userId),
    messages: await messages.ofPerson(tx, userId),
    agents: await consents.ofPerson(tx, userId),
  };
}

/**
 * Takes all that a person was given, and deletes what sources have reported of the groups, what the person has asked for, the messages
 * of apps to the person, and what programs may do for the person. Audit entries keep the id.
 */
export async function forgetPerson(
  context: ForgetContext,
  tx: Transaction,
  userId: string,
  origin: ChangeOrigin,
): Promise<void> {
  await context.readings.lock(tx, userId);
  await context.readings.delete(tx, userId);
  await context.requests.forgetPerson(tx, userId);
  await context.messages.forgetPerson(tx, userId);
  await context.consents.forgetPerson(tx, userId);
  const { tuples } = await readPerson(context, tx, userId);
  if (tuples.length > 0) await writeTuplesIn(tx, context, { deletes: tuples }, origin);
}
