import type { AppFilter as AppFilterInput, AppStateFilter } from "@appserver/contracts/graphql/types";
import type { AppFilter } from "../../use-cases/read-apps.ts";

/** Reads both forms of a filter: with one state or name, or with several. */
export function readFilter(filter: AppFilterInput | AppStateFilter | null | undefined): AppFilter {
  if (!filter) return {};
  const input: AppFilterInput = filter;
  const names = [...(input.names ?? []), ...(input.appNames ?? [])];
  const states = [...(input.states ?? []), ...(input.state ? [input.state] : [])];
  return {
    ...(input.names || input.appNames ? { names } : {}),
    ...(input.states || input.state ? { states } : {}),
    search: input.search ?? undefined,
    needs: input.needs ?? undefined,
  };
}
