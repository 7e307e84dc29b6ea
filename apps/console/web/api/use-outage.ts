import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { i18n } from "../i18n.ts";
import { ApiError } from "./api-error.ts";
import { failures } from "./connection.ts";
import { isRecovery, type Outage, outageOf, type Readiness } from "./outage.ts";
import { useStore } from "./store.ts";

const calmMs = 15_000;
const outageMs = 2_000;

/**
 * What does not respond. Null if everything does. Read from `/ready`, which needs neither a session nor the database: the API itself may
 * refuse every request until then.
 */
const outageQuery = queryOptions({
  queryKey: ["outage"],
  queryFn: async (): Promise<Outage | null> => {
    const response = await fetch("/ready", { credentials: "same-origin" }).catch(() => undefined);
    if (!response) throw new ApiError("UNREACHABLE", i18n.t("the platform does not respond"));
    // A reverse proxy may keep it from browsers.
    const body = (await response.json().catch(() => undefined)) as Readiness | undefined;
    return body?.checks ? (outageOf(body) ?? null) : null;
  },
  retry: false,
  refetchInterval: ({ state }) => (state.data || state.error || failures.get() > 0 ? outageMs : calmMs),
});

/** Returns what does not respond. Undefined if everything does, and while the platform itself cannot be reached. */
export function useOutage(): Outage | undefined {
  const { data, isError } = useQuery(outageQuery);
  return isError ? undefined : (data ?? undefined);
}

/** Reads what is shown again when something that was missing is back, and looks at once when a request fails for an outage. */
export function useRecovery(): void {
  const queries = useQueryClient();
  const { data, isError, dataUpdatedAt } = useQuery(outageQuery);
  const failed = useStore(failures);
  const before = useRef<Outage>(undefined);
  const outage = data ?? undefined;
  useEffect(() => {
    if (failed > 0) void queries.invalidateQueries({ queryKey: outageQuery.queryKey });
  }, [failed, queries]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response counts, also one that is equal to the last
  useEffect(() => {
    if (isError) return;
    const isBack = isRecovery(before.current, outage);
    before.current = outage;
    if (isBack) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== outageQuery.queryKey[0] });
    // An outage that was over before it was seen: only what failed is read again.
    else if (!outage && failures.get() > 0)
      void queries.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
    if (!outage?.isCritical) failures.set(0);
  }, [dataUpdatedAt, outage, isError, queries]);
}
