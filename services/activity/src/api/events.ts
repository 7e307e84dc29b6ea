import { readEventApp } from "@appserver/contracts/events";
import type { Broker, Subscription } from "@appserver/kernel/ports";

/** Events after which an app's declarations may have changed. */
const types = ["app.registered", "app.installed", "app.uninstalled", "app.upgraded", "app.rolled_back"];

/** Calls `onApp` on every replica for every change of an app. */
export function observeApps(broker: Broker, onApp: (appName: string) => void): Promise<Subscription> {
  return broker.observe(types, (event) => {
    const { name } = readEventApp(event.body);
    if (name !== undefined) onApp(name);
  });
}
