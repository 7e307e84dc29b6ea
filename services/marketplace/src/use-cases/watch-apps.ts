import { type Call, oncePerObject } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { expandStates } from "../domain/app-state.ts";
import type { AppNotification, AppNotifications, AppStore } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";
import { type AppFilter, requireView } from "./read-apps.ts";

/** What watchers of apps need in addition to the context of the service. */
export interface WatchedApps {
  readonly notifications: AppNotifications;
  /**
   * Returns the app with the state of the change. Undefined if it does not exist any more. All watchers of this process share one
   * read for each change and receive the same record.
   */
  readonly changedApp: (change: AppNotification) => Promise<AppRecord | undefined>;
}

export function watchedApps(notifications: AppNotifications, store: Pick<AppStore, "findByName">): WatchedApps {
  const changedApp = oncePerObject(async ({ appName, state }: AppNotification) => {
    const stored = await store.findByName(appName);
    return stored && { ...stored, state: state ?? stored.state };
  });
  return { notifications, changedApp };
}

/**
 * Yields the full app at each change, with the state of that change (docs/interface/events.md#app-subscription). Ends with the
 * call. Needs `app:view`.
 */
export async function* watchApps(
  context: MarketplaceContext & WatchedApps,
  filter: AppFilter,
  call: Call,
): AsyncGenerator<AppRecord> {
  await requireView(context, call);
  for await (const change of context.notifications.changes(call.signal)) {
    const app = await context.changedApp(change);
    if (app && matches(app, filter)) yield app;
  }
}

function matches(app: AppRecord, filter: AppFilter): boolean {
  if (filter.names && filter.names.length > 0 && !filter.names.includes(app.name)) return false;
  return !filter.states || filter.states.length === 0 || expandStates(filter.states).includes(app.state);
}
