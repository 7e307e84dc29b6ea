import { Cursors, pageSize } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { type AppState, expandStates } from "../domain/app-state.ts";
import type { AppPage } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";

export interface AppFilter {
  readonly names?: readonly string[] | undefined;
  /** INSTALLED matches every installed app, including RUNNING and UNHEALTHY. */
  readonly states?: readonly AppState[] | undefined;
  readonly search?: string | undefined;
}

export interface PageRequest {
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last app of the previous page. */
  readonly after?: string | undefined;
}

/** Cursors contain app names. Any text is valid: the list continues after it, even if no app has that name. */
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

/** Returns whether the app matches the filter of the subscription. */
export function matchesFilter(app: AppRecord, filter: AppFilter): boolean {
  if (filter.names && filter.names.length > 0 && !filter.names.includes(app.name)) return false;
  return !filter.states || filter.states.length === 0 || expandStates(filter.states).includes(app.state);
}

/** Opaque to clients. */
export function cursorOf(app: AppRecord): string {
  return cursors.of(app.name);
}
