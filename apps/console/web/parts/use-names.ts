import { useQueries } from "@tanstack/react-query";
import { nameQuery } from "../api/subjects.ts";
import { useViewer } from "../api/viewer.ts";
import { unnamed } from "./who.tsx";

/** Returns the names of those who did something, by id, for texts in which there is no room for {@link Who}. */
export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { permissions } = useViewer();
  const unique = [...new Set(ids)];
  return useQueries({
    queries: unique.map((id) => ({
      ...nameQuery(id),
      enabled: permissions.includes("app:view") && /^(?:user|machine):/.test(id),
    })),
    combine: (found) => new Map(unique.map((id, index) => [id, found[index]?.data ?? unnamed(id)])),
  });
}
