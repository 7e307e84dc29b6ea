import { isDeepStrictEqual } from "node:util";
import { type Call, settledWithin } from "@appserver/kernel";
import type { SettingsNotifications } from "../ports.ts";
import type { SettingsContext, SettingsView } from "./context.ts";
import { readSettings } from "./read-settings.ts";

/** Events may be lost while the broker is unreachable: settings are read again at this interval without one. */
const recheckMs = 30_000;

/**
 * Yields the present settings, and again after every change that the caller can see. Changes
 * that follow each other fast may come as one. Throws as `readSettings` does, also when the caller may no longer read.
 */
export async function* watchSettings(
  context: SettingsContext & { readonly notifications: SettingsNotifications },
  appId: string,
  call: Call,
): AsyncGenerator<SettingsView> {
  const { signal } = call;
  let view = await readSettings(context, appId, call);
  const ended = new AbortController();
  const changes = context.notifications.changes(view.app.name, AbortSignal.any([signal, ended.signal]))[Symbol.asyncIterator]();
  try {
    let waiting = changes.next();
    // Reads again, because something may have changed before the subscription.
    view = await readSettings(context, appId, call);
    yield view;
    while (!signal.aborted) {
      const isNotified = await settledWithin(waiting, { clock: context.clock, ms: recheckMs, signal });
      if (isNotified ? (await waiting).done : signal.aborted) return;
      if (isNotified) waiting = changes.next();
      const next = await readSettings(context, appId, call);
      if (isDeepStrictEqual(visibleIn(next), visibleIn(view))) continue;
      view = next;
      yield view;
    }
  } finally {
    ended.abort();
  }
}

/** Events that a change of settings shows in. The app's own changes of state do not. */
function visibleIn({ version, settings, conditions }: SettingsView): unknown {
  return { version, settings, conditions: conditions.map(({ type, message }) => ({ type, message })) };
}
