import { eventTypesAffecting } from "@appserver/contracts/events";
import type { Broker, Subscription } from "@appserver/kernel/ports";

/**
 * Calls `onApp` on every replica when an app may have lost or gained the permission for its subscriptions. An event may be lost:
 * permissions are also read at an interval.
 */
export function observePermissions(broker: Pick<Broker, "observe">, onApp: (appName: string) => void): Promise<Subscription> {
  return broker.observe(eventTypesAffecting("hookSources"), ({ body }) => {
    const name = appOf(body["subject"]);
    if (name !== undefined) onApp(name);
  });
}

/** `app:com.example.clock` → its name; undefined for other subjects. */
function appOf(subject: unknown): string | undefined {
  return typeof subject === "string" && subject.startsWith("app:") ? subject.slice("app:".length) : undefined;
}
