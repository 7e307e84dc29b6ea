import { queryOptions } from "@tanstack/react-query";
import type * as operations from "../generated/operations.ts";
import {
  AccessRequestsDocument,
  ClosedAppsDocument,
  DecideAccessRequestDocument,
  RequestAccessDocument,
} from "../generated/operations.ts";
import { send } from "./client.ts";
import { queryClient } from "./query-client.ts";

const refreshMs = 15_000;
/** While a request waits for a decision. */
const waitingMs = 5_000;
/** What a page shows at once. The API has more. */
const maxShown = 50;

export type AccessRequest = operations.AccessRequestFragment;
export type ClosedApp = operations.ClosedAppsQuery["closedApps"][number];

/** The apps with pages that the viewer may not open. */
export const closedAppsQuery = queryOptions({
  queryKey: ["closed-apps"],
  queryFn: async () => (await send(ClosedAppsDocument, {})).closedApps,
  refetchInterval: 2 * refreshMs,
});

/** What waits for a decision, newest first. Needs `access:view`. */
export const openRequestsQuery = queryOptions({
  queryKey: ["access-requests", "open"],
  queryFn: async () => {
    const { edges, totalCount } = (await send(AccessRequestsDocument, { own: false, first: maxShown })).accessRequests;
    return { requests: edges.map(({ node }) => node), totalCount };
  },
  refetchInterval: refreshMs,
});

const ownKey = ["access-requests", "own"];

/** What the viewer has asked for, newest first. An app that opens by a grant appears at once. */
export const ownRequestsQuery = queryOptions({
  queryKey: ownKey,
  queryFn: async () => {
    const waited = (queryClient.getQueryData<readonly AccessRequest[]>(ownKey) ?? []).filter(isOpen);
    const { edges } = (await send(AccessRequestsDocument, { own: true, first: maxShown })).accessRequests;
    const requests = edges.map(({ node }) => node);
    if (waited.some(({ id }) => requests.some((each) => each.id === id && !isOpen(each)))) readAppsAgain();
    return requests;
  },
  refetchInterval: ({ state: { data } }) => (data?.some(isOpen) ? waitingMs : 2 * refreshMs),
});

function isOpen({ state }: AccessRequest): boolean {
  return state === "OPEN";
}

function readAppsAgain(): void {
  for (const key of ["frontends", "closed-apps"]) void queryClient.invalidateQueries({ queryKey: [key] });
}

export async function askForAccess(asked: operations.RequestAccessMutationVariables): Promise<void> {
  await send(RequestAccessDocument, asked);
  await queryClient.invalidateQueries({ queryKey: ["access-requests"] });
}

/** A grant may concern the viewer. */
export async function decideAccessRequest(id: string, decision: operations.AccessDecision): Promise<void> {
  try {
    await send(DecideAccessRequestDocument, { id, decision });
  } finally {
    readAppsAgain();
    void queryClient.invalidateQueries({ queryKey: ["access"] });
    await queryClient.invalidateQueries({ queryKey: ["access-requests"] });
  }
}
