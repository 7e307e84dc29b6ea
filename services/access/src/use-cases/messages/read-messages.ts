import {
  AppError,
  type Call,
  type Clock,
  Cursors,
  earlierReceipt,
  invalidField,
  isUuid,
  type Page,
  pageOf,
  pageSize,
  reachesApp,
  recordKeyedWork,
} from "@appserver/kernel";
import type { AppMessage, AppMessages, Database, UnreadMessages } from "../../ports.ts";
import { keptMessages } from "./notify-person.ts";

export interface MessagesContext {
  readonly database: Pick<Database, "query" | "transaction">;
  readonly messages: Pick<AppMessages, "ofPerson" | "unread" | "read">;
  readonly clock: Pick<Clock, "now">;
}

export interface MessagesAsked {
  /** 1 to 250, default 50. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

const cursors = new Cursors("app-message", isUuid);

/** Returns the messages of apps to the caller, newest first. Throws AUTHENTICATION_REQUIRED. Only people have any. */
export async function readMessages(
  { messages, database }: MessagesContext,
  { first, after }: MessagesAsked,
  call: Call,
): Promise<Page<AppMessage>> {
  const userId = personOf(call);
  const size = pageSize(first);
  const below = cursors.read(after);
  return pageOf(userId === undefined ? [] : await messages.ofPerson(database, userId, { limit: size + 1, below }), size);
}

/** Returns how many messages of each app the caller has not read, by the names of the apps. Bound callers have those of their apps only. */
export async function countUnread(
  { messages, database }: MessagesContext,
  { caller }: Call,
): Promise<readonly UnreadMessages[]> {
  const counts = caller.kind === "user" ? await messages.unread(database, caller.id) : [];
  return counts.filter(({ appName }) => reachesApp(caller, appName));
}

/** Marks messages to the caller as read, by default all. Returns how many were unread. Throws AUTHENTICATION_REQUIRED. */
export async function markRead(
  { messages, database, clock }: MessagesContext,
  ids: readonly string[] | undefined,
  call: Call,
): Promise<number> {
  const userId = personOf(call);
  if (ids && ids.length > keptMessages.all)
    throw invalidField("ids", `must have at most ${keptMessages.all} entries, got ${ids.length}`);
  const earlier = earlierReceipt();
  if (earlier) return Number(earlier["count"]);
  return await database.transaction(async (tx) => {
    const count = userId === undefined ? 0 : await messages.read(tx, userId, { ids, at: new Date(clock.now()) });
    await recordKeyedWork(tx, { count });
    return count;
  });
}

/** Returns the cursor of a message, opaque to clients. */
export function messageCursor({ id }: AppMessage): string {
  return cursors.of(id);
}

function personOf({ caller }: Call): string | undefined {
  if (caller.kind === "anonymous") throw new AppError("AUTHENTICATION_REQUIRED", "your own messages need a session");
  return caller.kind === "user" ? caller.id : undefined;
}
