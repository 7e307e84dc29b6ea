import { AppError } from "@appserver/kernel";
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

const pageLimits = { default: 50, most: 250 } as const;

/** One page of apps by name, ascending (design/contracts "Connections"). INVALID_REQUEST for a page size or cursor that is none. */
export function listApps(context: MarketplaceContext, filter: AppFilter, page: PageRequest): Promise<AppPage> {
  const first = page.first ?? pageLimits.default;
  if (!Number.isInteger(first) || first < 1 || first > pageLimits.most) {
    const message = `must be 1 to ${pageLimits.most}, got ${first}`;
    throw new AppError("INVALID_REQUEST", `first ${message}`, { violations: [{ field: "first", message }] });
  }
  return context.store.list({
    ...(filter.names ? { names: filter.names } : {}),
    ...(filter.states ? { states: expandStates(filter.states) } : {}),
    ...(filter.search !== undefined && filter.search !== "" ? { search: filter.search } : {}),
    ...(page.after === undefined || page.after === "" ? {} : { after: readCursor(page.after) }),
    limit: first,
  });
}

/** Whether a filter of the subscription lets the app through. */
export function matchesFilter(app: AppRecord, filter: AppFilter): boolean {
  if (filter.names && filter.names.length > 0 && !filter.names.includes(app.name)) return false;
  return !filter.states || filter.states.length === 0 || expandStates(filter.states).includes(app.state);
}

const cursorPrefix = "app:";

/** Opaque to clients. */
export function cursorOf(app: AppRecord): string {
  return Buffer.from(cursorPrefix + app.name).toString("base64url");
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  if (!text.startsWith(cursorPrefix)) {
    throw new AppError("INVALID_REQUEST", "after is no cursor of this list", {
      violations: [{ field: "after", message: "must be an endCursor of this list" }],
    });
  }
  return text.slice(cursorPrefix.length);
}
