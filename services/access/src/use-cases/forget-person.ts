import type { Tuple } from "@appserver/contracts/authorization";
import type {
  AccessRequest,
  AccessRequests,
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
}

/** What the platform knows of the access of a person. */
export interface PersonAccess {
  readonly tuples: readonly Tuple[];
  readonly groups: readonly GroupReading[];
  readonly requests: readonly AccessRequest[];
  readonly messages: readonly AppMessage[];
}

export async function readPerson(
  { authorization, readings, requests, messages }: Pick<ForgetContext, "authorization" | "readings" | "requests" | "messages">,
  tx: Transaction,
  userId: string,
): Promise<PersonAccess> {
  return {
    tuples: await authorization.read({ user: `user:${userId}` }),
    groups: await readings.of(tx, [userId]),
    requests: await requests.ofPerson(tx, userId),
    messages: await messages.ofPerson(tx, userId),
  };
}

/**
 * Takes all that a person was given, and deletes what sources have reported of the groups, what the person has asked for, and the messages
 * of apps to the person. Audit entries keep the id.
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
  const { tuples } = await readPerson(context, tx, userId);
  if (tuples.length > 0) await writeTuplesIn(tx, context, { deletes: tuples }, origin);
}
