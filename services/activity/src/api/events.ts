import { readEventApp } from "@appserver/contracts/events";
import type { Broker, Subscription } from "@appserver/kernel/ports";

/** After these, what an app declares may be another. */
const types = ["app.registered", "app.installed", "app.uninstalled", "app.upgraded", "app.rolled_back"];

/** Every replica hears of every change of an app. */
export function observeApps(broker: Broker, onApp: (appName: string) => void): Promise<Subscription> {
  return broker.observe(types, (event) => {
    const { name } = readEventApp(event.body);
    if (name !== undefined) onApp(name);
  });
}
