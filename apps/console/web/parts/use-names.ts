import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useCallback } from "react";
import { nameQuery } from "../api/subjects.ts";
import { useViewer } from "../api/viewer.ts";
import { unnamed } from "./who.tsx";

/** Returns the names of those who did something, by id, for texts in which there is no room for {@link Who}. */
export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { permissions } = useViewer();
  const unique = [...new Set(ids)];
  const key = JSON.stringify(unique);
  // As long as it is the same function, the same names are the same map.
  const combine = useCallback(
    (found: readonly UseQueryResult<string | null>[]) =>
      new Map((JSON.parse(key) as string[]).map((id, index) => [id, found[index]?.data ?? unnamed(id)])),
    [key],
  );
  const mayRead = permissions.includes("app:view");
  return useQueries({
    queries: unique.map((id) => ({ ...nameQuery(id), enabled: mayRead && /^(?:user|machine|app):/.test(id) })),
    combine,
  });
}
