import { Cursors, pageSize } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { type AppState, expandStates } from "../domain/app-state.ts";
import type { AppPage } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";

export interface AppFilter {
  readonly names?: readonly string[] | undefined;
  /** INSTALLED matches every app that is meant to be installed. */
  readonly states?: readonly AppState[] | undefined;
  readonly search?: string | undefined;
}

export interface PageRequest {
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last app seen. */
  readonly after?: string | undefined;
}

/** By name. Any text is one: where no app has it, the list goes on behind it. */
const cursors = new Cursors("app", () => true);

/** Returns apps by name (docs/interface/graphql.md#connections). Throws INVALID_REQUEST if page size or cursor is invalid. */
export function listApps(context: MarketplaceContext, filter: AppFilter, page: PageRequest): Promise<AppPage> {
  const limit = pageSize(page.first);
  const after = cursors.read(page.after);
  return context.store.list({
    ...(filter.names ? { names: filter.names } : {}),
    ...(filter.states ? { states: expandStates(filter.states) } : {}),
    ...(filter.search !== undefined && filter.search !== "" ? { search: filter.search } : {}),
    ...(after === undefined ? {} : { after }),
    limit,
  });
}

/** Whether a filter of the subscription lets the app through. */
export function matchesFilter(app: AppRecord, filter: AppFilter): boolean {
  if (filter.names && filter.names.length > 0 && !filter.names.includes(app.name)) return false;
  return !filter.states || filter.states.length === 0 || expandStates(filter.states).includes(app.state);
}

/** Opaque to clients. */
export function cursorOf(app: AppRecord): string {
  return cursors.of(app.name);
}
