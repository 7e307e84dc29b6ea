import { queryOptions } from "@tanstack/react-query";
import { send } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import { frontendsQuery } from "../features/hosting/frontend-queries.ts";
import * as operations from "../generated/operations.ts";

/** What the list shows at once. The API has more. */
const maxShown = 50;
const messagesKey = ["app-messages"];

export type AppMessage = operations.AppMessagesQuery["appMessages"]["edges"][number]["node"];

/** The newest messages of apps to the viewer. */
export const messagesQuery = queryOptions({
  queryKey: messagesKey,
  queryFn: async () =>
    (await send(operations.AppMessagesDocument, { first: maxShown })).appMessages.edges.map(({ node }) => node),
  staleTime: 0,
});

/** Marks messages as read, by default all, and reads the numbers again. The page that sends it may be left. */
export async function markMessagesRead(ids?: readonly string[]): Promise<void> {
  await send(operations.MarkMessagesReadDocument, { ids: ids ?? null }, { keepalive: true });
  await Promise.all([messagesKey, frontendsQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
