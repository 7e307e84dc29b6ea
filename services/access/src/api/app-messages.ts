import type {
  AppMessage as AppMessageNode,
  MutationMarkMessagesReadArgs,
  QueryAppMessagesArgs,
  UnreadMessages as UnreadNode,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { AppMessage } from "../ports.ts";
import {
  countUnread,
  type MessagesContext,
  markRead,
  messageCursor,
  readMessages,
} from "../use-cases/messages/read-messages.ts";

export type AppMessageResolversDeps = MessagesContext;

/** Resolvers of the part of the schema about messages of apps to people. They only translate. */
export function appMessageResolversOf(context: AppMessageResolversDeps) {
  return {
    Query: {
      appMessages: async (_: unknown, { first, after }: QueryAppMessagesArgs, call: Call) =>
        connectionOf(await readMessages(context, { first, after }, call), after, { cursor: messageCursor, node: messageNode }),
    },
    Mutation: {
      markMessagesRead: (_: unknown, { ids }: MutationMarkMessagesReadArgs, call: Call): Promise<number> =>
        markRead(context, ids ?? undefined, call),
    },
    Viewer: {
      unreadMessages: async (_: unknown, __: unknown, call: Call): Promise<readonly UnreadNode[]> =>
        await countUnread(context, call),
    },
  };
}

function messageNode({ userId: _, ...message }: AppMessage): AppMessageNode {
  return message;
}
