import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { send } from "../../api/client.ts";
import { type AppRow, type AppsList, appsPageSize, appsQuery, appVariablesOf } from "../../api/queries.ts";
import * as operations from "../../generated/operations.ts";

/** Without the fields of rows, an operation may have more apps: a whole number of pages, at most 250 (docs/interface/graphql.md#connections). */
const cursorsPerRequest = 6 * appsPageSize;

/** Returns the cursors after each page that follows `after`. */
function cursorsQuery(list: AppsList, after: string | null) {
  return queryOptions({
    queryKey: ["app-cursors", appVariablesOf(list), after],
    queryFn: async () => {
      const variables = { ...appVariablesOf(list), first: cursorsPerRequest, after };
      const { edges } = (await send(operations.AppCursorsDocument, variables)).apps;
      return edges.flatMap(({ cursor }, index) => ((index + 1) % appsPageSize === 0 ? [cursor] : []));
    },
    staleTime: 60_000,
  });
}

export interface AppPages {
  /** The number of all that match. Undefined until it is known. */
  readonly count: number | undefined;
  /** Undefined for a row whose page is not loaded. */
  readonly row: (index: number) => AppRow | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

/**
 * Reads the pages of the rows from `first` to `last`, and again when an app changes. The API lists apps from a cursor forwards: the
 * cursors of the pages between are read before a page that is far below.
 */
export function useAppPages(list: AppsList, first: number, last: number): AppPages {
  const key = JSON.stringify(appVariablesOf(list));
  const [chain, setChain] = useState<Chain>({ key, cursors: [null] });
  const cursors = chain.key === key ? chain.cursors : [null];
  const head = useQuery({ ...appsQuery(list, null), placeholderData: keepPreviousData });
  const count = head.data?.totalCount;
  const lastPage = Math.floor(Math.min(last, Math.max(0, (count ?? 1) - 1)) / appsPageSize);
  const firstPage = Math.min(Math.floor(first / appsPageSize), lastPage);
  const shown = range(firstPage, lastPage).filter((page) => page < cursors.length);
  const pages = useQueries({ queries: shown.map((page) => appsQuery(list, cursors[page] ?? null)) });
  const frontier = cursors.at(-1) ?? null;
  const following = useQuery({ ...cursorsQuery(list, frontier), enabled: lastPage >= cursors.length });
  const found = following.data;
  useEffect(() => {
    if (!found || found.length === 0) return;
    setChain((before) => {
      const known = before.key === key ? before.cursors : [null];
      return known.at(-1) === frontier ? { key, cursors: [...known, ...found] } : before;
    });
  }, [found, frontier, key]);
  // A page that was read again may end elsewhere, because an app was added or removed.
  const ends = shown.map((page, index) => [page + 1, pages[index]?.data?.pageInfo.endCursor ?? null] as const);
  const moved = ends.filter(([page, end]) => end !== null && page < cursors.length && cursors[page] !== end);
  useEffect(() => {
    if (moved.length === 0) return;
    setChain((before) => {
      if (before.key !== key) return before;
      const next = [...before.cursors];
      for (const [page, end] of moved) next[page] = end;
      return { key, cursors: next };
    });
  });
  const failed = [head, following, ...pages].find(({ error }) => error);
  return {
    count,
    row: (index) => {
      const page = Math.floor(index / appsPageSize);
      const { data } = pages[shown.indexOf(page)] ?? {};
      // While another filter is read, the rows of the former one stay.
      const edges = (data ?? (page === 0 ? head.data : undefined))?.edges;
      return edges?.[index % appsPageSize]?.node;
    },
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

interface Chain {
  readonly key: string;
  /** Where each page begins. The first begins without one. */
  readonly cursors: readonly (string | null)[];
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
