import type { Call } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { expandStates } from "../domain/app-state.ts";
import type { AppNotifications } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";
import { type AppFilter, requireView } from "./read-apps.ts";

/**
 * Yields the full app at each change, with the state of that change (docs/interface/events.md#app-subscription). Ends with the
 * call. Needs `app:view`.
 */
export async function* watchApps(
  context: MarketplaceContext & { readonly notifications: AppNotifications },
  filter: AppFilter,
  call: Call,
): AsyncGenerator<AppRecord> {
  await requireView(context, call);
  for await (const change of context.notifications.changes(call.signal)) {
    const stored = await context.store.findByName(change.appName);
    if (!stored) continue;
    const app = { ...stored, state: change.state ?? stored.state };
    if (matches(app, filter)) yield app;
  }
}

function matches(app: AppRecord, filter: AppFilter): boolean {
  if (filter.names && filter.names.length > 0 && !filter.names.includes(app.name)) return false;
  return !filter.states || filter.states.length === 0 || expandStates(filter.states).includes(app.state);
}
